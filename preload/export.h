/* Marks the shim's exported functions; preload/exports.map lists them too, and scripts/lint compares. */
#ifndef TRACESHIM_PRELOAD_EXPORT_H
#define TRACESHIM_PRELOAD_EXPORT_H

#define TS_EXPORT __attribute__((visibility("default")))

#endif
