/**
 * What people do on the sandbox's board, one after the other, and which triggers each starts: New Board Activity for
 * what is made, Custom Webhook Events for comments. And what the fields of triggers offer there before.
 */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { OptionPage } from '#kit'
import type { BoardSandbox } from '../../shared/sandbox/board/index.ts'
import { clientOf, findIds } from '../sandbox/board-client.ts'

const read = (file: string) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as unknown
type Doing = { control?: 'createCard' | 'emailCard' | 'copyCard'; send?: string; with?: object; starts: string[] }
export const doings = read('trigger-doings.json') as Doing[]
/** How often each trigger starts when all of it is done. */
export const startCounts: { [trigger: string]: number } = {}
for (const id of doings.flatMap(({ starts }) => starts)) startCounts[id] = (startCounts[id] ?? 0) + 1

type ChoiceRow = {
  trigger: string
  field: string
  values?: Record<string, unknown>
  query?: string
  /** All of them; or some that are among them; or how it fails. */
  choices?: OptionPage['options']
  include?: object[]
  fails?: object
}
export const choiceTable = read('trigger-choices.json') as ChoiceRow[]

/** `{card:Fresh}` is the id of that card as it is now. */
const fillerOf = (sandbox: BoardSandbox) => {
  const seed = findIds(sandbox)
  const ids: { [kind: string]: (name: string) => string } = {
    board: () => seed.board,
    other: () => seed.other,
    list: seed.list,
    card: seed.card,
    label: seed.label,
    organization: () => [...sandbox.state.organizations.keys()][0]!,
    second: () => sandbox.credentials.secondMember.id,
  }
  return <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value).replaceAll(/\{(\w+):([^{}"]*)\}/g, (_, kind: string, name: string) => ids[kind]!(name)),
    ) as T
}

/** Does it: by the sandbox's control, or by a request with the token of the connected account. */
export const doOn = (sandbox: BoardSandbox) => {
  const ask = clientOf(sandbox)
  const fill = fillerOf(sandbox)
  return async (doing: Doing) => {
    const { control, send, with: body } = fill(doing)
    if (control) return sandbox.control[control](body as never)
    const [method, path] = send!.split(' ')
    const answer = await ask(method!, path!, body ? { body } : {})
    if (answer.status !== 200) throw new Error(`${send} answered ${answer.status}: ${answer.text}`)
    return answer.json
  }
}

export type LoadChoices = (
  request: Pick<ChoiceRow, 'trigger' | 'field'> & { values: Record<string, unknown>; query: string; cursor?: string },
) => Promise<OptionPage>
/** The choices of all pages. */
export const readChoices = async ({ trigger, field, values = {}, query = '' }: ChoiceRow, load: LoadChoices) => {
  const choices: OptionPage['options'] = []
  for (let cursor: string | undefined; ;) {
    const page = await load({ trigger, field, values, query, ...(cursor === undefined ? {} : { cursor }) })
    choices.push(...page.options)
    if ((cursor = page.next) === undefined) return choices
  }
}
/** Holds what a field offers against its row. */
export const checkChoices = async (sandbox: BoardSandbox, row: ChoiceRow, load: LoadChoices) => {
  const { choices, include = [], fails, ...request } = fillerOf(sandbox)(row)
  const offered = readChoices(request, load)
  if (fails) return expect(offered).rejects.toMatchObject(fails)
  if (choices) expect(await offered).toEqual(choices)
  for (const choice of include) expect(await offered).toContainEqual(expect.objectContaining(choice))
}
