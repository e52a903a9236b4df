/** Rules in sentences. */
import type { RuleConditions, RuleDeciders } from '../../../../api/resources/approval-rule.ts'
import { integrationTitle, stepNameOf, toolSetTitle } from '../../api/index.ts'
import { number } from '../../ui/index.ts'

type Effect = NonNullable<RuleConditions['effects']>[number]
export const effects: { value: Effect; label: string }[] = [
  { value: 'create', label: 'writes something new' },
  { value: 'update', label: 'changes something' },
  { value: 'delete', label: 'deletes something' },
  { value: 'read', label: 'looks something up for credits' },
]

/** The name of a connection, token, person or container by its id; undefined: not known here. */
export type NameOf = (id: string) => string | undefined

const list = new Intl.ListFormat('en', { type: 'disjunction' })
const or = (names: string[]) => list.format(names)

/** Names, and how many there are besides without one. */
const named = (ids: string[], nameOf: NameOf, noun: string) => {
  const names = ids.map(nameOf)
  const nameless = names.filter((name) => name === undefined).length
  const known = names.flatMap((name) => (name === undefined ? [] : [`“${name}”`]))
  return or([...known, ...(nameless === 0 ? [] : [nameless === 1 ? `a ${noun}` : `${nameless} ${noun}s`])])
}

export const decidersOf = (by: RuleDeciders, nameOf: NameOf): string => {
  if (by === 'approvers') return 'everybody who may approve, except whoever asks'
  if (by === 'caller') return 'everybody who may approve, and whoever asks'
  const { people = [], tokens = [] } = by
  return or([...people, ...(tokens.length === 0 ? [] : [named(tokens, nameOf, 'token')])])
}

/** Each condition as it is said of a run. */
const conditionTexts = (
  nameOf: NameOf,
): { [name in keyof RuleConditions]-?: (value: NonNullable<RuleConditions[name]>) => string } => ({
  effects: (values) => or(values.map((value) => effects.find((effect) => effect.value === value)?.label ?? value)),
  integrations: (ids) => `belongs to ${or(ids.map(integrationTitle))}`,
  steps: (names) => `runs ${or(names.map(stepNameOf))}`,
  toolSets: (ids) => `uses the tool set ${or(ids.map(toolSetTitle))}`,
  creditsOver: (credits) =>
    credits === 0 ? 'costs credits' : `may cost more than ${number(credits)} ${credits === 1 ? 'credit' : 'credits'}`,
  objects: (ids) => `touches ${named(ids, nameOf, 'place')}`,
  connections: (ids) => `uses the connection ${named(ids, nameOf, 'connection that is gone')}`,
  tokens: (ids) => `was asked by ${named(ids, nameOf, 'token')}`,
  people: (ids) => `is for ${or(ids)}`,
})

/** Which runs a rule holds, as the beginning of a sentence. */
export const conditionsOf = (when: RuleConditions, nameOf: NameOf): string => {
  const texts = conditionTexts(nameOf) as Record<string, (value: unknown) => string>
  const conditions = Object.keys(texts).flatMap((name) => {
    const value = when[name as keyof RuleConditions]
    return value === undefined ? [] : [texts[name]!(value)]
  })
  return conditions.length === 0
    ? 'Everything that changes something or costs credits waits'
    : `Every run that ${conditions.join(', and ')} waits`
}
