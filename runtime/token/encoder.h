/* What encoders of all models share; see token.h for the public part. */
#ifndef SEED_TOKEN_ENCODER_H
#define SEED_TOKEN_ENCODER_H

#include "runtime/token/bpe.h"
#include "runtime/token/split.h"
#include "runtime/token/token.h"

#endif
