import { z } from '#kit'

/** Output schema of a step that returns a complete list: the list and its length. */
export const counted = <Name extends string>(name: Name, schema: z.ZodType) =>
  z.object({ [name]: schema, count: z.int().meta({ description: 'How many are in this answer.' }) } as Record<
    Name | 'count',
    z.ZodType
  >)
