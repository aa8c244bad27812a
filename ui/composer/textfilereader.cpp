// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/composer/textfilereader.h"

#include "ui/text/durations.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QPointer>
#include <QStringDecoder>
#include <QThreadPool>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("fermata::TextFile", text);
}

// Longer than any run of back quotes in the text, so that the text cannot end its own block.
QString fenceFor(const QString &text)
{
    qsizetype longest = 0;
    qsizetype run = 0;
    for (const QChar c : text) {
        run = c == u'`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return QString(std::max<qsizetype>(3, longest + 1), u'`');
}

} // namespace

Result<TextFile> readTextFile(const QString &path)
{
    const QFileInfo info(path);
    const QString name = info.fileName();
    // Pipes and devices never end, and opening one may wait for ever.
    if (!info.isFile())
        return Error(ErrorCode::InvalidArgument, tr("“%1” is not a file.").arg(name));
    if (info.size() > LargestTextFile)
        return Error(ErrorCode::TooLarge,
                     tr("“%1” has %2; a file of up to %3 can be put into a message.")
                         .arg(name, bytesText(info.size()), bytesText(LargestTextFile)));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error(ErrorCode::Io,
                     tr("“%1” could not be read: %2.").arg(name, file.errorString()));
    const QByteArray bytes = file.read(LargestTextFile + 1);
    if (bytes.size() > LargestTextFile)
        return Error(ErrorCode::TooLarge, tr("“%1” is too large for a message.").arg(name));
    QStringDecoder decoder(QStringDecoder::Utf8);
    const QString text = decoder(bytes);
    if (decoder.hasError() || bytes.contains('\0'))
        return Error(ErrorCode::Unsupported, tr("“%1” is not a text file.").arg(name));
    return TextFile{name, text, bytes.size()};
}

QString asMessagePart(const TextFile &file)
{
    const QString fence = fenceFor(file.text);
    QString part = file.name.simplified() + u"\n"_s + fence + u"\n"_s + file.text;
    if (!part.endsWith(u'\n'))
        part += u'\n';
    return part + fence + u'\n';
}

TextFileReader::TextFileReader(QObject *parent) : QObject(parent)
{
    const QPointer<TextFileReader> self(this);
    // The reader may be gone before the disk answers; the last to hold the box may then be the other thread.
    m_box = std::shared_ptr<Box>(new Box([self](std::vector<Result<TextFile>> results) {
                                     for (const Result<TextFile> &result : results) {
                                         if (self && result)
                                             emit self->finished(*result);
                                         else if (self)
                                             emit self->failed(result.error().message);
                                     }
                                 }),
                                 [](Box *box) { box->deleteLater(); });
}

void TextFileReader::read(const QString &path)
{
    QThreadPool::globalInstance()->start([box = m_box, path] { box->post(readTextFile(path)); });
}

} // namespace fermata
