import { z } from '#kit'

/** What a step gives that deleted something: the board's own answer says nothing. */
export const deleted = (what: string) => () =>
  z.object({
    id: z.string().meta({ description: `Id of the ${what} that is gone.` }),
    deleted: z.boolean().meta({ description: 'Always true: it is gone for good.' }),
  })
