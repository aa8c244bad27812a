# SPDX-License-Identifier: GPL-3.0-or-later
# Included by the top CMakeLists.txt after the program: what belongs to the desktop and not to the code.
install(FILES packaging/org.fermata.Fermata.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES packaging/org.fermata.Fermata.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
install(FILES resources/fermata.svg
    DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps RENAME org.fermata.Fermata.svg)
install(FILES resources/fermata-symbolic.svg
    DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/symbolic/apps RENAME org.fermata.Fermata-symbolic.svg)
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Compressed without name and time, so that the same sources give the same package.
find_program(GZIP gzip)
if(GZIP)
    set(compressed ${CMAKE_BINARY_DIR}/packaging)
    foreach(page fermata.1 changelog)
        add_custom_command(
            OUTPUT ${compressed}/${page}.gz
            COMMAND ${CMAKE_COMMAND} -E make_directory ${compressed}
            COMMAND ${GZIP} -9nc ${PROJECT_SOURCE_DIR}/packaging/${page} > ${compressed}/${page}.gz
            DEPENDS ${PROJECT_SOURCE_DIR}/packaging/${page}
            VERBATIM)
    endforeach()
    add_custom_target(fermata_pages ALL DEPENDS ${compressed}/fermata.1.gz ${compressed}/changelog.gz)
    install(FILES ${compressed}/fermata.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${compressed}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
else()
    install(FILES packaging/fermata.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
