# SPDX-License-Identifier: GPL-3.0-or-later
# The Debian package: `cpack -G DEB` in a release build that was configured with -DCMAKE_INSTALL_PREFIX=/usr.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fermata)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "The Fermata developers")
set(CPACK_PACKAGE_CONTACT "The Fermata developers <fermata@fermata.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "chat with language models that stop when you say so")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Fermata is a desktop chat for language models that use tools. It talks to
servers on this machine, such as Ollama or llama.cpp, and to every other server
that speaks chat completions.
.
Stop takes effect at once in every stage of an answer; what was written is kept,
saved, and can be continued. Tools ask before they change anything and run in a
sandbox. Keys stay in the system's keyring.")

# The libraries are found by dpkg-shlibdeps, the plugins that Qt loads by name are not.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libqt6sql6-sqlite, libqt6svg6, ca-certificates")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "bubblewrap, libsecret-1-0, qt6-wayland, gnome-keyring | kwalletmanager, fonts-noto-core")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "fonts-hack")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Folders as dpkg wants them, whatever the umask of who builds.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

include(CPack)
