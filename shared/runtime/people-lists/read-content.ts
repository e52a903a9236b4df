import { failField } from '#kit'
import { lacksScope, mayCall } from '../bounds.ts'
import { rules } from '../../api/rules.ts'
import type { Caller, StoredPeopleList } from '../ports/index.ts'
import type { NewList } from '../../api/resources/people-list.ts'
import type { ListDependencies } from './parts.ts'
import { readFileRows, readObjectRows } from './read-rows.ts'
import type { ListContent } from './read-rows.ts'
import { recordsOf } from './run-records.ts'
import { readStepRows } from './step-rows.ts'
import type { StepDependencies } from './step-rows.ts'

type ContentDependencies = StepDependencies & Pick<ListDependencies, 'files' | 'runOf'>

export type NewContent = ListContent & { source: StoredPeopleList['source']; checkedAt: number | null }

/** The rows of a new list, from whichever source it names. @throws Failure `invalid_input`, `too_large`, `not_found` */
export const readContent = async (
  parts: ContentDependencies,
  caller: Caller,
  { kind = 'person', rows, file, run, step, format, delimiter }: NewList,
): Promise<NewContent> => {
  const sources = [rows, file, run, step].filter((source) => source !== undefined)
  if (sources.length !== 1)
    throw failField(
      'rows',
      'Give one of: rows, file (the id of a stored file), run (the id of a run of a search), step (which is run for the list).',
    )
  if (rows !== undefined) return { ...readObjectRows(rows, 'rows'), source: 'rows', checkedAt: null }
  if (file !== undefined) {
    const { name, read } = await parts.files.open(caller, file)
    return { ...(await readFileRows(read, name, { format, delimiter })), source: 'file', checkedAt: null }
  }
  if (step !== undefined) return { ...(await readStepRows(parts, caller, step, kind)), source: 'step', checkedAt: null }
  if (!mayCall(caller, rules.getRun)) throw lacksScope(rules.getRun)
  const { createdAt, output } = await parts.runOf(caller, run!)
  return { ...readObjectRows(recordsOf(output), 'run'), source: 'run', checkedAt: Date.parse(createdAt) }
}
