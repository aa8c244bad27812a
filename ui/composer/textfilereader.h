// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mailbox.h"
#include "base/result.h"

#include <QObject>
#include <QString>

#include <memory>

namespace fermata {

struct TextFile
{
    QString name;
    QString text;
    qint64 bytes = 0;
};

// The largest file that is put into a message.
constexpr qint64 LargestTextFile = 256 * 1024;

// Reads a file that the user chose, if it is a regular file of text and not too large. Blocks.
Result<TextFile> readTextFile(const QString &path);
// As a part of a message: a fenced block with the name of the file above it.
QString asMessagePart(const TextFile &file);

// Does the reading on another thread: a disk that hangs does not hold the window.
class TextFileReader final : public QObject
{
    Q_OBJECT

public:
    explicit TextFileReader(QObject *parent = nullptr);

    void read(const QString &path);

signals:
    void finished(const fermata::TextFile &file);
    void failed(const QString &message);

private:
    using Box = Mailbox<Result<TextFile>>;
    std::shared_ptr<Box> m_box;
};

} // namespace fermata
