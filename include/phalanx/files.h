/* This header includes all that Phalanx does to files, in C: containers and folders of them, old formats, files in place,
 * and migration. phalanx.h has the conventions. */
#ifndef PHALANX_FILES_H
#define PHALANX_FILES_H

#include <phalanx/files/cancellation.h>
#include <phalanx/files/chunked_file.h>
#include <phalanx/files/cms.h>
#include <phalanx/files/container.h>
#include <phalanx/files/container_file.h>
#include <phalanx/files/foreign.h>
#include <phalanx/files/in_place.h>
#include <phalanx/files/inspect.h>
#include <phalanx/files/migration.h>
#include <phalanx/files/openpgp.h>
#include <phalanx/files/tree_index.h>
#include <phalanx/files/trees.h>
#include <phalanx/files/verification.h>
#include <phalanx/files/volume.h>

#endif
