# SPDX-License-Identifier: GPL-3.0-or-later
# A module sees the headers of the modules it names and of no others: each module has an include root of its own that
# holds nothing but a link to its folder, and the roots are not passed on to users. So "ui/x.h" in core, or
# "io/x.h" in conversation, is a compile error and not a matter of taste.

# fermata_module(NAME SOURCES ... [MODULES ...] [LIBRARIES ...])
function(fermata_module name)
    cmake_parse_arguments(ARG "" "" "SOURCES;MODULES;LIBRARIES" ${ARGN})
    add_library(fermata_${name} STATIC ${ARG_SOURCES})
    set(root ${CMAKE_BINARY_DIR}/include/${name})
    file(MAKE_DIRECTORY ${root})
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${name} SYMBOLIC)
    set_target_properties(fermata_${name} PROPERTIES AUTOMOC ON FERMATA_INCLUDE_ROOT ${root})
    target_include_directories(fermata_${name} PRIVATE ${root})
    fermata_use(fermata_${name} MODULES ${ARG_MODULES} LIBRARIES ${ARG_LIBRARIES})
endfunction()

# fermata_use(TARGET [MODULES ...] [LIBRARIES ...]): links the modules and opens their headers to TARGET alone.
function(fermata_use target)
    cmake_parse_arguments(ARG "" "" "MODULES;LIBRARIES" ${ARGN})
    foreach(module IN LISTS ARG_MODULES)
        get_target_property(root fermata_${module} FERMATA_INCLUDE_ROOT)
        target_include_directories(${target} PRIVATE ${root})
        target_link_libraries(${target} PUBLIC fermata_${module})
    endforeach()
    target_link_libraries(${target} PUBLIC ${ARG_LIBRARIES})
endfunction()

# fermata_test(NAME [MODULES ...] [LIBRARIES ...] [SOURCES ...] [LABELS ...]): tst_NAME.cpp, run offscreen by ctest and
# labelled with the name of its folder.
function(fermata_test name)
    cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;MODULES;LIBRARIES;LABELS" ${ARGN})
    add_executable(tst_${name} tst_${name}.cpp ${ARG_SOURCES})
    set_target_properties(tst_${name} PROPERTIES AUTOMOC ON)
    fermata_use(tst_${name} MODULES ${ARG_MODULES} LIBRARIES Qt6::Test ${ARG_LIBRARIES})
    add_test(NAME ${name} COMMAND tst_${name})
    get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 120)
    endif()
    set_tests_properties(${name} PROPERTIES
        TIMEOUT ${ARG_TIMEOUT} LABELS "${folder};${ARG_LABELS}"
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp:halt_on_error=1:die_after_fork=0:ignore_noninstrumented_modules=1;LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp")
endfunction()
