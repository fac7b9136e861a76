// This header includes all that Phalanx does to files: containers and folders of them, old formats, files in place, and
// migration. phalanx.hpp has the conventions.
#pragma once

#include <phalanx/files/cancellation.hpp>
#include <phalanx/files/chunked_file.hpp>
#include <phalanx/files/cms.hpp>
#include <phalanx/files/container.hpp>
#include <phalanx/files/container_file.hpp>
#include <phalanx/files/doubt.hpp>
#include <phalanx/files/foreign.hpp>
#include <phalanx/files/in_place.hpp>
#include <phalanx/files/inspect.hpp>
#include <phalanx/files/key_derivation.hpp>
#include <phalanx/files/migration.hpp>
#include <phalanx/files/openpgp.hpp>
#include <phalanx/files/padding.hpp>
#include <phalanx/files/recipients.hpp>
#include <phalanx/files/tree_index.hpp>
#include <phalanx/files/trees.hpp>
#include <phalanx/files/verification.hpp>
#include <phalanx/files/volume.hpp>
