import { z } from '#kit'

/** Output of a step that lists everything there is. */
export const counted = <Name extends string>(name: Name, schema: z.ZodType) =>
  z.object({ [name]: schema, count: z.int().meta({ description: 'How many are in this answer.' }) } as Record<
    Name | 'count',
    z.ZodType
  >)
