import { sentenceText } from '#kit'
import type { Integration, Ref, Sentence, SentencePart } from '#kit'
import type { ShownSentence } from '../../api/resources/sentence.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { Log, Subscription } from '../ports/index.ts'
import { guarded, noNames, storedSentence } from './describe.ts'
import { readSentence, shownSentence, withNames } from './show.ts'

/** A thing of a connection. */
export type ConnectionThing = Pick<Ref, 'kind' | 'id'> & { connection: string }

/** Reads what things of a tenant are called, as far as it was learned. */
export type FindNames = (
  tenant: string,
  things: readonly ConnectionThing[],
) => Promise<(thing: ConnectionThing) => string | undefined>

/** What an event or a start says in words, and the names of what it is about and of where that lies. */
export type Worded = { summary: ShownSentence | null; subjectName: string | null; containerName: string | null }

/** `container`: undefined where the row does not say. */
type WordedRow = {
  tenant: string
  connection: string
  integration: string
  summary: string | null
  subject: string | null
  container?: string | null
}

/** A sentence of one connection, where names are still missing. */
type OpenSentence = { connection: string; sentence: Sentence | null }

const unnamedThings = ({ connection, sentence }: OpenSentence): ConnectionThing[] =>
  (sentence ?? []).flatMap(({ ref, unnamed }) => (ref && unnamed ? [{ connection, kind: ref.kind, id: ref.id }] : []))

/** The part that names a thing: by its id, or by its kind where the row does not say which thing it is. */
const partOf = (sentence: Sentence | null, id: string | null | undefined, kind: string | undefined) =>
  id === null ? undefined : sentence?.find(({ ref }) => ref && (id === undefined ? ref.kind === kind : ref.id === id))

const thingOf = (
  { connection }: WordedRow,
  part: SentencePart | undefined,
  id: string | null | undefined,
  kind: string | undefined,
): ConnectionThing | undefined => {
  if (part?.ref) return { connection, kind: part.ref.kind, id: part.ref.id }
  return id != null && kind !== undefined ? { connection, kind, id } : undefined
}

type Dependencies = { registry: Pick<Registry, 'all'>; findNames: FindNames; log: Log }

/** Puts what is stored into words, with the names that were learned; a page costs one read of names. */
export const createWording = ({ registry, findNames, log }: Dependencies) => {
  const integrationOf = (id: string): Integration | undefined =>
    registry.all.find(({ integration }) => integration.id === id)?.integration

  /** Fills the names that are missing in sentences of one tenant. */
  const fill = async (tenant: string, all: readonly OpenSentence[]): Promise<(Sentence | null)[]> => {
    const things = all.flatMap(unnamedThings)
    if (things.length === 0) return all.map(({ sentence }) => sentence)
    const nameOf = await findNames(tenant, things)
    return all.map(
      ({ connection, sentence }) => sentence && withNames(sentence, ({ kind, id }) => nameOf({ connection, kind, id })),
    )
  }

  const shown = async (tenant: string, all: readonly OpenSentence[]) =>
    (await fill(tenant, all)).map((sentence) => sentence && shownSentence(sentence))

  const waitsFor = ({ integration, trigger, config, id }: Subscription): Sentence | null => {
    const words = integrationOf(integration)?.words
    const sentence = guarded(log, { integration, subscription: id }, () => words?.waitsFor?.(trigger, config, noNames))
    return readSentence(sentence === undefined ? null : storedSentence(sentence))
  }

  const things = async (tenant: string, rows: readonly WordedRow[]) => {
    const read = rows.map((row) => {
      const sentence = readSentence(row.summary)
      const { subject: subjectKind, container: containerKind } = integrationOf(row.integration)?.aliases ?? {}
      const subject = thingOf(row, partOf(sentence, row.subject, subjectKind), row.subject, subjectKind)
      const container = thingOf(row, partOf(sentence, row.container, containerKind), row.container, containerKind)
      return { connection: row.connection, sentence, subject, container }
    })
    const isNamed = ({ sentence }: OpenSentence, { kind, id }: ConnectionThing) =>
      sentence?.some(({ ref, unnamed }) => ref?.kind === kind && ref.id === id && !unnamed) ?? false
    const missing = read.flatMap((row) => [
      ...unnamedThings(row),
      ...[row.subject, row.container].filter((thing) => thing !== undefined && !isNamed(row, thing)),
    ]) as ConnectionThing[]
    return { read, nameOf: missing.length === 0 ? () => undefined : await findNames(tenant, missing) }
  }

  return {
    /** The rows in words, in their order. All belong to one tenant. */
    async rows(tenant: string, rows: readonly WordedRow[]): Promise<Worded[]> {
      const { read, nameOf } = await things(tenant, rows)
      return read.map(({ connection, sentence, subject, container }) => {
        const named = sentence && withNames(sentence, ({ kind, id }) => nameOf({ connection, kind, id }))
        const textOf = (thing: ConnectionThing | undefined) => {
          const part = thing && named?.find(({ ref }) => ref?.kind === thing.kind && ref.id === thing.id)
          return (part && !part.unnamed ? part.text : thing && nameOf(thing)) ?? null
        }
        return {
          summary: named && shownSentence(named),
          subjectName: textOf(subject),
          containerName: textOf(container),
        }
      })
    },
    /** Stored sentences. All belong to one tenant. */
    sentences: (
      tenant: string,
      rows: readonly { connection: string | null; summary: string | null }[],
    ): Promise<(ShownSentence | null)[]> =>
      shown(
        tenant,
        rows.map(({ connection, summary }) => ({ connection: connection ?? '', sentence: readSentence(summary) })),
      ),
    /** What subscriptions wait for. All belong to one tenant. */
    subscriptions: (tenant: string, rows: readonly Subscription[]): Promise<(ShownSentence | null)[]> =>
      shown(
        tenant,
        rows.map((row) => ({ connection: row.connection, sentence: waitsFor(row) })),
      ),
    /** One stored sentence as text. */
    async text({ tenant, connection, summary }: Pick<WordedRow, 'tenant' | 'connection' | 'summary'>) {
      if (summary === null) return null
      let sentence = JSON.parse(summary) as Sentence
      // Most name everything themselves, and nothing need be read for them.
      if (summary.includes('"unnamed"')) sentence = (await fill(tenant, [{ connection, sentence }]))[0]!
      return sentenceText(sentence)
    },
  }
}
export type Wording = ReturnType<typeof createWording>
