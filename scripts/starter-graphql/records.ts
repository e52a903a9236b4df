import { fail, z } from '#kit'

export const item = () =>
  z.looseObject({
    id: z.string().meta({ description: 'Id of the item.' }),
    name: z.string().meta({ description: 'Name of the item.' }),
    createdAt: z.string().meta({ description: 'When it was created, in UTC.' }),
    createdBy: z.string().meta({ description: 'Id of the account that created it.' }),
  })

export type Item = z.output<ReturnType<typeof item>>

/** Checks the provider's items. @throws Failure `bad_reply` when they have another shape */
export const readItems = (items: unknown[]): Item[] => {
  const read = z.array(item()).safeParse(items)
  if (!read.success) throw fail('bad_reply', 'The provider answered something other than items.')
  return read.data
}
