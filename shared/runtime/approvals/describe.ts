/** Held runs in words: who wants to do what. */
import { say, sentenceText } from '#kit'
import type { Names, Sentence, SentencePart } from '#kit'
import type { ShownSentence } from '../../api/resources/sentence.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { Approval, Log, Store } from '../ports/index.ts'
import { guarded, noNames } from '../sentences/describe.ts'
import type { FindNames } from '../sentences/worded.ts'
import { isOpen } from './store-approval.ts'
import type { HeldContent } from './store-approval.ts'
import type { RuleBook } from './rules.ts'

type DescribeDependencies = {
  store: Pick<Store, 'tokens' | 'connections'>
  registry: Pick<Registry, 'all'>
  rules: Pick<RuleBook, 'of'>
  /** Reads what things of a connection are called, as far as it was learned. */
  findNames: FindNames
  log: Log
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

const methodOf = (input: unknown) => {
  const { method } = input as { method?: unknown }
  return typeof method === 'string' ? method : 'GET'
}

/** Ids of tokens that a row mentions. */
const tokensOf = ({ token, decidedBy, by }: Approval): string[] =>
  [token, decidedBy, ...(typeof by === 'object' ? (by.tokens ?? []) : [])].filter((id) => id !== null)

/** Describes the held runs of one answer, and reads each name once for all of them. */
export const createDescriber = ({ store, registry, rules, findNames, log }: DescribeDependencies) => {
  const planOf = async (row: Approval, { input, title }: HeldContent): Promise<Sentence> => {
    const { tenant, integration: id, step, connection, kind } = row
    if (kind !== 'step') return say`run ${{ text: lowerFirst(title), role: 'what' }}`
    const loaded = registry.all.find(({ integration }) => integration.id === id)
    if (step === 'api-call') return say`send a request of its own (${{ text: methodOf(input), role: 'value' }})`
    const describe = (names: Names) =>
      guarded(log, { integration: id, step }, () =>
        loaded?.integration.words?.describePlan?.(step, input as Record<string, unknown>, names),
      )
    const unnamed = describe(noNames)?.flatMap(({ ref }) =>
      ref && connection !== null ? [{ ...ref, connection }] : [],
    )
    const nameOf = unnamed && unnamed.length > 0 ? await findNames(tenant, unnamed) : undefined
    // Again with the names: a thing that has one is said otherwise than one without.
    const plan = describe(nameOf ? (ref) => nameOf({ ...ref, connection: connection! }) : noNames)
    return plan ?? say`run ${{ text: loaded?.steps.get(step)?.step.title ?? step, role: 'what' }}`
  }

  return () => {
    const once = new Map<string, Promise<string | undefined>>()
    const nameOf = (id: string, read: () => Promise<{ name: string | null } | undefined>) => {
      const name = once.get(id) ?? read().then((row) => row?.name ?? undefined)
      once.set(id, name)
      return name
    }
    const tokenName = (tenant: string, id: string) => nameOf(id, () => store.tokens.get(tenant, id))

    return {
      /** Names by id, of what a row mentions. */
      async names(row: Approval): Promise<Record<string, string>> {
        const { tenant, connection, rule } = row
        const pairs = await Promise.all([
          ...tokensOf(row).map(async (id) => [id, await tokenName(tenant, id)] as const),
          ...(connection === null
            ? []
            : [
                nameOf(connection, () => store.connections.get(tenant, connection)).then(
                  (name) => [connection, name] as const,
                ),
              ]),
        ])
        const ruleName = rules.of(tenant).find(({ id }) => id === rule)?.name ?? undefined
        return Object.fromEntries(
          [...pairs, [rule, ruleName] as const].filter(([, name]) => name !== undefined),
        ) as Record<string, string>
      },
      async summary(row: Approval, content: HeldContent | undefined): Promise<ShownSentence | null> {
        if (!content) return null
        const { tenant, token, person } = row
        const name = token === null ? undefined : await tokenName(tenant, token)
        const who: SentencePart = { text: name ?? 'Somebody', ...(name === undefined ? {} : { role: 'who' }) }
        const forWhom = person === null ? '' : say` for ${{ text: person, role: 'who' }}`
        const plan = await planOf(row, content)
        const parts = say`${who}${forWhom} ${isOpen(row) ? 'wants' : 'wanted'} to ${plan}`
        return { text: sentenceText(parts), parts }
      },
    }
  }
}
export type Describer = ReturnType<typeof createDescriber>
