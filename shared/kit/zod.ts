/**
 * The part of zod that definitions use. The exports are listed one by one because a whole namespace cannot be
 * tree-shaken: bundled, it would bring 50 locales and double what a cold start reads. Add names that are missing here.
 */
export type * from 'zod'
export {
  array,
  boolean,
  coerce,
  compile,
  discriminatedUnion,
  email,
  enum,
  exactOptional,
  globalRegistry,
  int,
  iso,
  literal,
  looseObject,
  null,
  number,
  object,
  record,
  registry,
  strictObject,
  string,
  toJSONSchema,
  tuple,
  union,
  unknown,
  url,
} from 'zod'
