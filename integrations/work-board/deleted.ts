import { z } from '#kit'

/** Output schema of a step that deletes something; the board's own response contains nothing useful. */
export const deleted = (what: string) => () =>
  z.object({
    id: z.string().meta({ description: `Id of the ${what} that is gone.` }),
    deleted: z.boolean().meta({ description: 'Always true: it is gone for good.' }),
  })
