/**
 * The id of a record, model or subject under the name that the suppression list reads, such as `{ personId: '7' }`. A
 * bare `id` does not say whether it is a person's.
 */
export const namedBy = ({ kind, id }: { kind: string; id: unknown }): { [field: string]: unknown } => ({
  [`${kind}Id`]: id,
})
