import { digestOf } from '../runtime/admin/chosen-texts.ts'
import { createPeopleLists } from '../runtime/people-lists/lists.ts'
import type { Background } from '../runtime/steps/background.ts'
import type { Steps } from '../runtime/steps/run-step.ts'
import type { Foundation } from './foundation.ts'
import { noting } from './note-people.ts'

/** Stored lists of people and companies. */
export const openPeopleLists = (
  { store, vault, files, clock, privacy, people, tenantKeys, registry }: Foundation,
  background: Pick<Background, 'get'>,
  run: Steps['run'],
) => {
  const lists = createPeopleLists({
    store,
    vault,
    files,
    clock,
    registry,
    run,
    suppressed: privacy.suppressed,
    digest: async (tenant, text) => digestOf(await tenantKeys.of(tenant), 'list', text),
    async runOf(caller, id) {
      const { contents, output, createdAt } = await background.get(caller, id)
      return { createdAt, output: output ?? contents?.output }
    },
  })
  return { ...lists, create: noting(people, lists.create) }
}
