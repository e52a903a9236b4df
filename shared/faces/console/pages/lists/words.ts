/** Stored lists in words. */
import type { PeopleList } from '../../../../api/resources/people-list.ts'

const sources: Record<PeopleList['source'], string> = {
  rows: 'Rows',
  file: 'A file',
  run: 'A search',
  step: 'What a step read',
}
export const sourceOf = ({ source }: Pick<PeopleList, 'source'>) => sources[source]

export const kindOf = ({ kind }: Pick<PeopleList, 'kind'>) => (kind === 'person' ? 'People' : 'Companies')
