// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/application.h"

#include "agent/agentthreads.h"
#include "agent/requestlimiter.h"
#include "app/datafolders.h"
#include "app/providerfinder.h"
#include "app/singleinstance.h"
#include "app/storejournal.h"
#include "app/toolset.h"
#include "app/unixsignals.h"
#include "base/channel.h"
#include "base/logging.h"
#include "io/iothread.h"
#include "session/conversationlibrary.h"
#include "session/conversationsession.h"
#include "session/modelcatalog.h"
#include "session/sessionservices.h"
#include "settings/secretstore.h"
#include "settings/settingsfile.h"
#include "tool/sandbox.h"
#include "ui/style/appearance.h"
#include "ui/style/fermatastyle.h"
#include "ui/style/systemappearance.h"
#include "ui/window/mainwindow.h"
#include "ui/window/windowcontext.h"

#include <QApplication>
#include <QThreadPool>
#include <QTimer>
#include <QUuid>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::milliseconds ThreadLimit{1000};
constexpr std::chrono::seconds RecoveryLimit{10};

// The profile that the command line asks for: an existing one for the same server and model, or a new one.
void applyCommandLine(const CommandLine &line, SettingsFile &file)
{
    if (line.provider == u"guide") {
        Settings settings = file.settings();
        settings.currentProfile.clear();
        (void)file.save(settings); // used as given even if it cannot be written
        return;
    }
    if (line.endpoint.isEmpty() && line.model.isEmpty())
        return;
    Settings settings = file.settings();
    const Profile *current = settings.profile(settings.currentProfile);
    Profile wanted = current ? *current : Profile{};
    if (!line.endpoint.isEmpty() && line.endpoint != wanted.endpoint) {
        wanted = {};
        wanted.endpoint = line.endpoint;
    }
    if (wanted.endpoint.isEmpty())
        return; // a model without a server
    if (!line.model.isEmpty())
        wanted.model = line.model;
    wanted.kind = u"openai"_s;
    for (const Profile &profile : settings.profiles) {
        if (profile.endpoint == wanted.endpoint && profile.model == wanted.model) {
            settings.currentProfile = profile.id;
            (void)file.save(settings);
            return;
        }
    }
    wanted.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
    if (wanted.name.isEmpty())
        wanted.name = wanted.endpoint.host();
    settings.profiles.push_back(wanted);
    settings.currentProfile = wanted.id;
    (void)file.save(settings);
}

} // namespace

class Application::Private
{
public:
    explicit Private(const CommandLine &line)
        : commandLine(line), folders(DataFolders::forDirectory(line.dataDirectory))
    {
    }

    void build(Application *application);
    void showWindow();

    const CommandLine commandLine;
    const DataFolders folders;

    // In the order of making; the reverse one is the order of ending.
    std::unique_ptr<SingleInstance> instance;
    std::unique_ptr<SettingsFile> settings;
    std::unique_ptr<SecretStore> secrets;
    std::unique_ptr<IoThread> io;
    std::unique_ptr<ProviderFinder> providers;
    std::shared_ptr<const Sandbox> sandbox;
    // Closed when what the last run has left is settled. A turn that began before would be taken for one of those.
    const std::shared_ptr<Channel<int>> recovery = std::make_shared<Channel<int>>();
    std::unique_ptr<AgentThreads> agents;
    std::shared_ptr<SessionServices> services;
    std::unique_ptr<ConversationLibrary> library;
    std::unique_ptr<ModelCatalog> catalog;
    std::unique_ptr<MainWindow> window;
    std::unique_ptr<UnixSignals> unixSignals;
};

Application::Application(const CommandLine &commandLine) : d(std::make_unique<Private>(commandLine))
{
}

Application::~Application()
{
    d->window.reset();
    d->catalog.reset();
    d->library.reset();
    if (d->agents && !d->agents->waitForAll(ThreadLimit)) {
        // What could be saved is saved. A thread that does not end must not keep the program from ending.
        qCWarning(lcApp, "a turn did not end in time; leaving without it");
        std::_Exit(0);
    }
    d->agents.reset();
    QThreadPool::globalInstance()->waitForDone();
    d->providers.reset();
    d->io.reset();
}

Result<Application::Start> Application::start()
{
    if (auto made = d->folders.make(); !made)
        return made.error();
    d->instance = std::make_unique<SingleInstance>(d->folders.data);
    if (!d->instance->acquire())
        return Start::RunsElsewhere;
    d->build(this);
    connect(d->instance.get(), &SingleInstance::activationRequested, this, [this] {
        d->window->show();
        d->window->raise();
        d->window->activateWindow();
    });
    d->unixSignals = std::make_unique<UnixSignals>();
    connect(d->unixSignals.get(), &UnixSignals::terminationRequested, this, &Application::quit);
    d->showWindow();
    return Start::Runs;
}

void Application::Private::build(Application *application)
{
    settings = std::make_unique<SettingsFile>(folders.settingsFile());
    applyCommandLine(commandLine, *settings);
    auto *system = new SystemAppearance(QApplication::palette(), application);
    auto *style = new FermataStyle(lightTheme()); // the application's
    QApplication::setStyle(style);
    new Appearance(style, system, settings.get(), application);

    secrets = std::make_unique<SecretStore>(folders.keyFile());
    io = std::make_unique<IoThread>();
    providers = std::make_unique<ProviderFinder>(*io, *secrets);
    agents = std::make_unique<AgentThreads>(
        [recovered = recovery, path = folders.database()](const CancellationToken &token) {
            (void)recovered->receive(token, steadyClock().now() + RecoveryLimit);
            return std::make_unique<StoreJournal>(path);
        });
    const Toolset toolset = makeToolset(*io, folders, *settings);

    sandbox = toolset.sandbox;

    services = std::make_shared<SessionServices>();
    services->databasePath = folders.database();
    services->workspaceRoot = folders.workspaces();
    services->settings = settings.get();
    services->secrets = secrets.get();
    services->io = io.get();
    services->agents = agents.get();
    services->tools = toolset.registry;
    services->requestLimiters = std::make_shared<RequestLimiters>();
    services->findProvider = [this](const Profile *profile, SessionServices::ProviderFound found) {
        providers->find(profile, std::move(found));
    };
    library = std::make_unique<ConversationLibrary>(services);
    connect(library.get(), &ConversationLibrary::recovered, application,
            [recovered = recovery] { recovered->close(); });
    catalog = std::make_unique<ModelCatalog>(services);

    WindowContext context;
    context.library = library.get();
    context.catalog = catalog.get();
    context.settings = settings.get();
    context.secrets = secrets.get();
    context.tools = toolset.entries;
    context.sandboxState = [sandbox = toolset.sandbox] { return sandbox->sentence(); };
    context.dataFolder = folders.data;
    window = std::make_unique<MainWindow>(context);
    connect(window.get(), &MainWindow::closed, qApp, &QCoreApplication::quit);
}

void Application::Private::showWindow()
{
    window->show();
    // After the first paint: reading the database and looking for servers must not hold it up.
    QTimer::singleShot(0, library.get(), [this] {
        library->load();
        // The first question is answered by a trial run: asked here, on a thread that may wait.
        QThreadPool::globalInstance()->start([sandbox = sandbox] { (void)sandbox->state(); });
        if (!commandLine.send.isEmpty())
            window->sendInNewConversation(commandLine.send);
    });
}

MainWindow *Application::window() const
{
    return d->window.get();
}

void Application::quit()
{
    d->window->quit(CancellationCause::ApplicationQuit);
}

} // namespace fermata
