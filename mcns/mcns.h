// Everything that a program with the library needs, in one header:
//   Experiment, run_experiment     load, split, train, evaluate, write a model directory
//   tune_experiment                settings that are good on validation
//   Components, Registry           what a run is made of, by name; add your own to a copy
//   NegativeSampler, Encoder, ...  what components derive from; self-tests of samplers
//   SamplerSession                 negatives for a training loop of your own
//   Graph, load_graph              graphs in memory, from files, generated
//   MemoryFiles                    tables in memory in place of files
//   Evaluator, Metrics             metrics of the three tasks, on any vectors
//   LoadedModel, encode            what is done with a model directory
//   Error, ThreadPool              every function may throw the one; most take the other
// mcns/public_headers.txt lists the headers that are installed; they include no others.
#pragma once

#include "mcns/core/describe.h"
#include "mcns/core/error.h"
#include "mcns/core/generate.h"
#include "mcns/core/graph.h"
#include "mcns/core/graph_stats.h"
#include "mcns/core/names.h"
#include "mcns/core/parallel.h"
#include "mcns/core/rng.h"
#include "mcns/core/task.h"
#include "mcns/encoders/linear_encoder.h"
#include "mcns/encoders/registry.h"
#include "mcns/eval/classify.h"
#include "mcns/eval/links.h"
#include "mcns/eval/ranking.h"
#include "mcns/io/dataset.h"
#include "mcns/io/datasets_table.h"
#include "mcns/io/memory_files.h"
#include "mcns/io/model_directory.h"
#include "mcns/losses/registry.h"
#include "mcns/model/encode.h"
#include "mcns/model/evaluate.h"
#include "mcns/optim/registry.h"
#include "mcns/plan/components.h"
#include "mcns/positives/registry.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/case.h"
#include "mcns/samplers/session.h"
#include "mcns/system/version.h"
#include "mcns/theory/selftest.h"
#include "mcns/theory/training_selftest.h"
#include "mcns/train/experiment.h"
#include "mcns/tune/tune.h"
