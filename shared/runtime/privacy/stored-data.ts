import { nextTurn } from '#kit'
import { openChunk } from '../files/cipher.ts'
import type { PersonalKind, PersonalRow, Store, Vault } from '../ports/index.ts'

/** Something stored that may be about a person. */
export type StoredItem = {
  kind: string
  id: string
  at: number | null
  /** The names that callers gave it. */
  label: string
  /** Its content, in parts that can each be searched alone; undefined in place of a part that cannot be read. */
  texts(): AsyncIterable<string | undefined> | Iterable<string | undefined>
  /** Erases it; returns whether that was possible. `byLabel`: its label names the person. */
  erase(byLabel: boolean): Promise<boolean>
}
/** A place where personal data may be stored. `each`: all items of a tenant there. */
export type StoredPart = { each(tenant: string): AsyncIterable<StoredItem> }

type StoredDataDependencies = {
  store: Pick<Store, 'personal' | 'files' | 'intents'>
  vault: Pick<Vault, 'open'>
  openLookup(row: PersonalRow): Promise<string | undefined>
  openUnclaimed(row: PersonalRow): string
}

const kinds: PersonalKind[] = [
  'lookup',
  'outcome',
  'run',
  'sample',
  'event',
  'unclaimed',
  'undecodable',
  'start',
  'timer',
  'poll',
  'file',
]
const rowsAtOnce = 100
/** How many characters of the previous part are repeated, so that a match across two parts is found. */
const overlap = 512

const isText = (bytes: Uint8Array) => !bytes.subarray(0, 4096).includes(0)

const openOutcome = (
  vault: StoredDataDependencies['vault'],
  { tenant, key: [key] }: PersonalRow,
  text: string,
): string => {
  const { sealed } = JSON.parse(text) as { sealed?: Record<string, string> }
  return sealed === undefined ? text : (vault.open({ tenant, owner: `outcome:${key}` }, sealed)['outcome'] ?? '')
}

/** The content of a sealed row; empty when it cannot be opened, since then nobody can read it. */
const readable = (open: () => string): string => {
  try {
    return open()
  } catch {
    return ''
  }
}

const contentOf = ({ content }: PersonalRow) => Buffer.from(content ?? []).toString('utf8')

/**
 * Everything in the store that may contain personal data. Sealed content is opened: only so can a person be found in
 * any spelling.
 */
export const storedIn = ({ store, vault, openLookup, openUnclaimed }: StoredDataDependencies): StoredPart => {
  const textsOf = async (row: PersonalRow): Promise<string[]> => {
    const { kind, tenant, key, texts, secrets } = row
    if (kind === 'lookup') return [(await openLookup(row)) ?? '']
    if (kind === 'outcome') return texts.slice(1).map((text) => readable(() => openOutcome(vault, row, text)))
    if (kind === 'unclaimed') return [readable(() => openUnclaimed(row))]
    if (kind !== 'sample') return [...texts, contentOf(row)]
    const owner = `sample:${key[0]}`
    const fileKey = readable(() => vault.open({ tenant, owner }, secrets ?? {})['key'] ?? '')
    return [
      readable(() =>
        openChunk(Buffer.from(fileKey, 'base64'), { tenant, id: owner, number: 0 }, row.content!).toString(),
      ),
    ]
  }

  /** The text of a file in parts; one undefined part for a file that is not text. */
  const fileTexts = async ({ tenant, key: [id], secrets }: PersonalRow) => {
    const fileKey = Buffer.from(
      readable(() => vault.open({ tenant, owner: `file:${id}` }, secrets ?? {})['key'] ?? ''),
      'base64',
    )
    const read = async (number: number) => {
      const sealed = await store.files.chunk(tenant, id!, number)
      return sealed && openChunk(fileKey, { tenant, id: id!, number }, sealed)
    }
    const first = await read(0).catch(() => undefined)
    if (first !== undefined && !isText(first)) return [undefined]
    return (async function* () {
      const decoder = new TextDecoder()
      let before = ''
      for (let number = 0, bytes = first; bytes !== undefined; bytes = await read(number)) {
        const text = before + decoder.decode(bytes, { stream: true })
        yield text
        before = text.slice(-overlap)
        number += 1
      }
    })()
  }

  const itemOf = async (row: PersonalRow): Promise<StoredItem> => {
    const { kind, tenant, key, at } = row
    const texts = kind === 'file' ? await fileTexts(row) : await textsOf(row)
    return {
      kind,
      id: key.join(' '),
      at,
      label: kind === 'file' || kind === 'outcome' ? row.texts[0]! : kind === 'run' ? row.texts.join(' ') : '',
      texts: () => texts,
      async erase(byLabel) {
        if (kind === 'file') return store.files.remove(tenant, key[0]!)
        if (kind === 'outcome' && byLabel) {
          await store.intents.drop(tenant, key[0]!)
          return true
        }
        return store.personal.erase(row)
      },
    }
  }

  async function* ofKind(tenant: string, kind: PersonalKind): AsyncGenerator<StoredItem> {
    let after: string[] | undefined
    for (;;) {
      const rows = await store.personal.rows(tenant, kind, rowsAtOnce, after)
      for (const row of rows) yield await itemOf(row)
      after = rows.at(-1)?.key
      if (rows.length < rowsAtOnce) break
      await nextTurn()
    }
  }

  return {
    async *each(tenant) {
      for (const kind of kinds) yield* ofKind(tenant, kind)
      // Events received for the operator's app belong to no tenant yet, so they may be about to become this tenant's.
      yield* ofKind('', 'unclaimed')
    },
  }
}
