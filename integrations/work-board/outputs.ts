import { z } from '#kit'

/** Output schema of a step that returns a complete list: the list and its length. */
export const listOutput = <Name extends string>(name: Name, schema: z.ZodType) =>
  z.object({ [name]: schema, count: z.int().meta({ description: 'How many are in this answer.' }) } as Record<
    Name | 'count',
    z.ZodType
  >)

/** Output schema of a step that deletes something; the board's own response contains nothing useful. */
export const deletionOutput = (what: string) => () =>
  z.object({
    id: z.string().meta({ description: `Id of the ${what} that is gone.` }),
    deleted: z.boolean().meta({ description: 'Always true: it is gone for good.' }),
  })
