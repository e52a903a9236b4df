/** Fields whose choices are things of the account say of which kind, so that their names are learned. */
import { expect, it } from 'vitest'
import workBoard from '../../integrations/work-board/manifest.ts'

const fieldsOf = ({ steps, triggers = [] }: typeof workBoard) =>
  [...steps, ...triggers].flatMap(({ id, fields = {} }) =>
    Object.entries(fields).flatMap(([name, field]) => (field?.options ? [{ of: `${id}.${name}`, ...field }] : [])),
  )
/** Texts and words of the board, which name no thing. */
const nameless = /\.(idComment|types)$/

it('is said of every field with choices, by the kinds that events use', () => {
  const fields = fieldsOf(workBoard)
  expect(fields.length).toBeGreaterThan(100)
  expect(fields.filter(({ of, names }) => (names === undefined) !== nameless.test(of)).map(({ of }) => of)).toEqual([])
  expect([...new Set(fields.flatMap(({ names }) => names ?? []))].sort()).toEqual([
    'attachment',
    'board',
    'card',
    'checkItem',
    'checklist',
    'customField',
    'label',
    'list',
    'member',
    'option',
    'organization',
  ])
})
