# SPDX-License-Identifier: GPL-3.0-or-later
# Tests of the files for desktops, of the scripts and of what the tests prove; those whose checker is not installed are left out.
function(fermata_check name program)
    find_program(FERMATA_CHECK_${name} ${program})
    if(FERMATA_CHECK_${name})
        add_test(NAME ${name} COMMAND ${FERMATA_CHECK_${name}} ${ARGN})
        set_tests_properties(${name} PROPERTIES LABELS packaging)
    endif()
endfunction()

set(folder ${PROJECT_SOURCE_DIR}/packaging)
fermata_check(desktop_entry desktop-file-validate ${folder}/org.fermata.Fermata.desktop)
fermata_check(metainfo appstreamcli validate --no-net ${folder}/org.fermata.Fermata.metainfo.xml)
fermata_check(scripts bash -n ${folder}/run ${folder}/test ${folder}/setup.sh ${PROJECT_SOURCE_DIR}/.ci/run)
fermata_check(coverage python3 ${PROJECT_SOURCE_DIR}/tests/uncovered)
