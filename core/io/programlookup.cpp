// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/programlookup_p.h"

#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <cstring>
#include <utility>

#include <unistd.h>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QString searchPathOf(const ProcessRequest &request)
{
    for (const auto &[name, value] : request.environment) {
        if (name == "PATH"_L1)
            return value;
    }
    return {};
}

} // namespace

Result<QString> resolvedProgram(const ProcessRequest &request)
{
    QStringList candidates;
    if (request.program.contains(u'/')) {
        candidates = {request.program};
    } else {
        for (const QString &folder : searchPathOf(request).split(u':', Qt::SkipEmptyParts))
            candidates << folder + u'/' + request.program;
    }
    bool found = false;
    for (const QString &candidate : std::as_const(candidates)) {
        const QFileInfo file(candidate);
        if (file.isFile() && ::access(QFile::encodeName(candidate).constData(), X_OK) == 0)
            return candidate;
        found = found || file.exists();
    }
    if (found) {
        return Error(ErrorCode::Io,
                     u"“%1” cannot be run: it is not an executable file."_s.arg(request.program));
    }
    return Error(ErrorCode::NotFound, u"The program “%1” was not found."_s.arg(request.program));
}

QString startProblem(const QString &program, const QString &systemText)
{
    // The file is there, as was looked at before: what is missing is what its first line or its header names.
    if (systemText.endsWith(QString::fromLocal8Bit(::strerror(ENOENT)))) {
        return u"“%1” cannot be run: the interpreter or loader that it names is missing."_s.arg(
            program);
    }
    if (systemText.endsWith(QString::fromLocal8Bit(::strerror(ENOEXEC))))
        return u"“%1” cannot be run: it is not a program for this system."_s.arg(program);
    if (systemText.endsWith(QString::fromLocal8Bit(::strerror(E2BIG))))
        return u"“%1” cannot be run: its arguments are too long."_s.arg(program);
    return u"“%1” could not be started: %2."_s.arg(program, systemText);
}

} // namespace fermata
