/**
 * The part of zod that definitions use. Named one by one, because a whole namespace cannot be shaken: built, it would
 * bring 50 locales and double what a cold start reads. A name that is missing here is added here.
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
