// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/argumentvalidator.h"

#include "support/enumcomparison.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

QJsonObject object(const QByteArray &json)
{
    return QJsonDocument::fromJson(json).object();
}

const QByteArray CommandSchema = R"({"type": "object", "additionalProperties": false,
    "required": ["command"],
    "properties": {"command": {"type": "string"},
                   "limit": {"type": "integer", "minimum": 1, "maximum": 86400},
                   "mode": {"enum": ["fast", "slow"]},
                   "steps": {"type": "array", "items": {"type": "object",
                             "properties": {"size": {"type": "number"}}, "required": ["size"]}}}})";

} // namespace

class tst_ArgumentValidator : public QObject
{
    Q_OBJECT

private slots:
    void validArgumentsComeBackParsed_data();
    void validArgumentsComeBackParsed();
    void aProblemIsToldSoThatTheModelCanCorrectIt_data();
    void aProblemIsToldSoThatTheModelCanCorrectIt();
    void hostileArgumentsAreRefused_data();
    void hostileArgumentsAreRefused();
    void hostileSchemasNeitherHangNorThrow_data();
    void hostileSchemasNeitherHangNorThrow();
    void referencesInsideOfASchemaAreFollowed();
    void aPropertyMayHaveTheNameOfAKeyword();
};

void tst_ArgumentValidator::validArgumentsComeBackParsed_data()
{
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QByteArray>("schema");
    QTest::newRow("all")
        << uR"({"command": "ls", "limit": 5, "mode": "fast", "steps": [{"size": 1.5}]})"_s
        << CommandSchema;
    QTest::newRow("integer as a float") << uR"({"command": "ls", "limit": 5.0})"_s << CommandSchema;
    QTest::newRow("spaces around") << u"\n {\"command\": \"ls\"} \n"_s << CommandSchema;
    QTest::newRow("nothing is an empty object") << QString() << QByteArray(R"({"type": "object"})");
    QTest::newRow("empty schema") << uR"({"a": [1, {"b": null}]})"_s << QByteArray("{}");
}

void tst_ArgumentValidator::validArgumentsComeBackParsed()
{
    QFETCH(QString, arguments);
    QFETCH(QByteArray, schema);
    const auto parsed = parseToolArguments(arguments, object(schema));
    QVERIFY2(parsed, parsed ? "" : qUtf8Printable(parsed.error().message));
    QCOMPARE(*parsed, object(arguments.toUtf8()));
}

void tst_ArgumentValidator::aProblemIsToldSoThatTheModelCanCorrectIt_data()
{
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QStringList>("words");
    QTest::newRow("missing") << u"{}"_s << QStringList{u"command"_s, u"required"_s};
    QTest::newRow("empty text") << u""_s << QStringList{u"command"_s, u"required"_s};
    QTest::newRow("wrong type") << uR"({"command": 5})"_s << QStringList{u"command"_s, u"type"_s};
    QTest::newRow("too small") << uR"({"command": "x", "limit": 0})"_s << QStringList{u"limit"_s};
    QTest::newRow("no integer") << uR"({"command": "x", "limit": 1.5})"_s
                                << QStringList{u"limit"_s};
    for (const char *number : {"1e300", "-1e300", "9223372036854775808", "-1", "-0.5", "1e-300",
                               "4294967297", "true", "null", "\"5\"", "[5]", "{}"}) {
        QTest::addRow("no limit: %s", number)
            << uR"({"command": "x", "limit": %1})"_s.arg(QLatin1StringView(number))
            << QStringList{u"limit"_s};
    }
    for (const char *number : {"1e999", "0x10", "1_000", "NaN", "Infinity", "+5", "٥"}) {
        QTest::addRow("no number: %s", number)
            << uR"({"command": "x", "limit": %1})"_s.arg(QString::fromUtf8(number))
            << QStringList{u"not JSON"_s};
    }
    QTest::newRow("the last of two counts")
        << uR"({"command": "x", "limit": 5, "limit": "many"})"_s << QStringList{u"limit"_s};
    QTest::newRow("another case") << uR"({"Command": "x"})"_s << QStringList{u"command"_s};
    QTest::newRow("looks the same") << uR"({"сommand": "x"})"_s << QStringList{u"command"_s};
    QTest::newRow("rest behind it")
        << uR"({"command": "x"} {"command": "y"})"_s << QStringList{u"not JSON"_s};
    QTest::newRow("enum") << uR"({"command": "x", "mode": "warp"})"_s << QStringList{u"mode"_s};
    QTest::newRow("unknown property")
        << uR"({"command": "x", "cmd": "y"})"_s << QStringList{u"cmd"_s};
    QTest::newRow("deep inside")
        << uR"({"command": "x", "steps": [{"size": 1}, {"size": "big"}]})"_s
        << QStringList{u"steps"_s, u"size"_s, u"1"_s};
    QTest::newRow("cut") << uR"({"command": "rm -rf)"_s << QStringList{u"not JSON"_s, u"byte"_s};
    QTest::newRow("array") << u"[1]"_s << QStringList{u"object"_s};
    QTest::newRow("bare word") << u"ls"_s << QStringList{u"not JSON"_s};
    QTest::newRow("null") << u"null"_s << QStringList{u"not JSON"_s};
}

void tst_ArgumentValidator::aProblemIsToldSoThatTheModelCanCorrectIt()
{
    QFETCH(QString, arguments);
    QFETCH(QStringList, words);
    const auto parsed = parseToolArguments(arguments, object(CommandSchema));
    QVERIFY(!parsed);
    QCOMPARE(parsed.error().code, ErrorCode::InvalidArgument);
    QVERIFY(parsed.isFault());
    for (const QString &word : words)
        QVERIFY2(parsed.error().message.contains(word), qUtf8Printable(parsed.error().message));
    QVERIFY(parsed.error().message.size() < 600);
}

void tst_ArgumentValidator::hostileArgumentsAreRefused_data()
{
    QTest::addColumn<QString>("arguments");
    const auto nested = [](int depth) {
        return u"{\"a\":"_s + QString(depth, u'[') + QString(depth, u']') + u'}';
    };
    QTest::newRow("65 deep") << nested(65);
    QTest::newRow("1,025 deep") << nested(1025);
    QTest::newRow("100,000 deep") << nested(100000);
    QTest::newRow("too long") << u"{\"a\":\""_s + QString(17 * 1024 * 1024, u'x') + u"\"}"_s;
}

void tst_ArgumentValidator::hostileArgumentsAreRefused()
{
    QFETCH(QString, arguments);
    const auto parsed = parseToolArguments(arguments, {});
    QVERIFY(!parsed);
    QCOMPARE(parsed.error().code, ErrorCode::InvalidArgument);
}

void tst_ArgumentValidator::hostileSchemasNeitherHangNorThrow_data()
{
    QTest::addColumn<QByteArray>("schema");
    QTest::addColumn<bool>("accepts");
    QByteArray deep("{\"type\":\"object\"}");
    for (int i = 0; i < 300; ++i)
        deep = "{\"properties\":{\"a\":" + deep + "}}";
    QByteArray wide("{");
    for (int i = 0; i < 8; ++i)
        wide += "\"d" + QByteArray::number(i) + "\":{\"anyOf\":["
            + QByteArray("{\"$ref\":\"#/d" + QByteArray::number(i + 1) + "\"},").repeated(12)
            + "{}]},";
    wide += "\"$ref\":\"#/d0\"}";
    QTest::newRow("itself") << QByteArray(R"({"$ref": "#"})") << true;
    QTest::newRow("all of itself") << QByteArray(R"({"allOf": [{"$ref": "#"}]})") << true;
    QTest::newRow("a circle") << QByteArray(
        R"({"allOf": [{"$ref": "#/a"}], "a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}})")
                              << true;
    QTest::newRow("a foreign one")
        << QByteArray(R"({"$ref": "http://example.com/schema"})") << true;
    QTest::newRow("a missing one") << QByteArray(R"({"$ref": "#/no/such"})") << true;
    QTest::newRow("300 deep") << deep << true;
    QTest::newRow("grows without end") << wide << false;
    QTest::newRow("pattern that backtracks")
        << QByteArray(R"({"properties": {"a": {"pattern": "^(a+)+$"}}})") << true;
    QTest::newRow("broken pattern")
        << QByteArray(R"({"patternProperties": {"(": {}}, "additionalProperties": false})") << true;
    QTest::newRow("no schema at all") << QByteArray(R"({"type": 17})") << false;
    QTest::newRow("wrong required") << QByteArray(R"({"required": {"a": 1}})") << false;
}

void tst_ArgumentValidator::hostileSchemasNeitherHangNorThrow()
{
    QFETCH(QByteArray, schema);
    QFETCH(bool, accepts);
    const QString arguments = u"{\"a\": \""_s + QString(100000, u'a') + u"!\"}"_s;
    const auto parsed = parseToolArguments(arguments, object(schema));
    QCOMPARE(parsed.ok(), accepts);
    if (!accepts)
        QVERIFY(!parsed.error().message.isEmpty());
}

void tst_ArgumentValidator::referencesInsideOfASchemaAreFollowed()
{
    const auto schema =
        object(R"({"type": "object", "properties": {"at": {"$ref": "#/$defs/point"}},
        "$defs": {"point": {"type": "object", "required": ["x"], "properties": {"x": {"type": "number"}}}}})");
    QVERIFY(parseToolArguments(uR"({"at": {"x": 1}})"_s, schema));
    QVERIFY(!parseToolArguments(uR"({"at": {"x": "1"}})"_s, schema));
    QVERIFY(!parseToolArguments(uR"({"at": {}})"_s, schema));
}

void tst_ArgumentValidator::aPropertyMayHaveTheNameOfAKeyword()
{
    const auto schema = object(R"({"type": "object", "required": ["pattern", "default", "id"],
        "additionalProperties": false, "properties": {"pattern": {"type": "string"},
        "default": {"type": "integer"}, "id": {"type": "string"}, "$ref": {"type": "string"}}})");
    QVERIFY(parseToolArguments(uR"({"pattern": "*", "default": 1, "id": "a"})"_s, schema));
    QVERIFY(!parseToolArguments(uR"({"pattern": 1, "default": 1, "id": "a"})"_s, schema));
    QVERIFY(!parseToolArguments(uR"({"pattern": "*", "default": "x", "id": "a"})"_s, schema));
}

QTEST_GUILESS_MAIN(tst_ArgumentValidator)
#include "tst_argumentvalidator.moc"
