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
  store: Pick<Store, 'personal' | 'files' | 'intents' | 'peopleLists'>
  vault: Pick<Vault, 'open'>
  openLookup(row: PersonalRow): Promise<string | undefined>
  openUnclaimed(row: PersonalRow): string
  openListRow(row: PersonalRow): string
}

const kinds: PersonalKind[] = [
  'lookup',
  'outcome',
  'approval',
  'run',
  'run_contents',
  'sample',
  'people_list',
  'people_list_row',
  'event',
  'unclaimed',
  'undecodable',
  'start',
  'timer',
  'poll',
  'file',
  'name',
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

/** What `open` returns; undefined when its content is damaged or the key of it is missing. */
const readable = <T>(open: () => T): T | undefined => {
  try {
    return open()
  } catch {
    return undefined
  }
}

const contentOf = ({ content }: PersonalRow) => Buffer.from(content ?? []).toString('utf8')

/**
 * Everything in the store that may contain personal data. Sealed content is opened: only so can a person be found in
 * any spelling.
 */
export const storedIn = ({
  store,
  vault,
  openLookup,
  openUnclaimed,
  openListRow,
}: StoredDataDependencies): StoredPart => {
  const textsOf = async (row: PersonalRow): Promise<(string | undefined)[]> => {
    const { kind, tenant, key, texts, secrets } = row
    if (kind === 'lookup') return [await openLookup(row)]
    if (kind === 'outcome') return texts.slice(1).map((text) => readable(() => openOutcome(vault, row, text)))
    if (kind === 'unclaimed') return [readable(() => openUnclaimed(row))]
    if (kind === 'people_list_row') return [readable(() => openListRow(row))]
    if (kind === 'approval' || kind === 'run_contents')
      return Object.entries(secrets ?? {}).map(([field, envelope]) =>
        readable(() => vault.open({ tenant, owner: `${kind}:${key[0]}` }, { [field]: envelope })[field]),
      )
    if (kind === 'name') {
      const opened = readable(() => vault.open({ tenant, owner: `name:${JSON.stringify(key)}` }, secrets ?? {}))
      // The id may be an address.
      return [key[2], ...(opened ? Object.values(opened) : [undefined])]
    }
    if (kind !== 'sample') return [...texts, contentOf(row)]
    const owner = `sample:${key[0]}`
    const open = () => {
      const { key: sampleKey = '' } = vault.open({ tenant, owner }, secrets ?? {})
      return openChunk(Buffer.from(sampleKey, 'base64'), { tenant, id: owner, number: 0 }, row.content!).toString()
    }
    return [readable(open)]
  }

  /** The text of a file in parts; undefined where a file that is no text, is damaged or has lost its key ends. */
  async function* fileTexts({ tenant, key: [id], secrets }: PersonalRow): AsyncGenerator<string | undefined> {
    const fileKey = readable(() =>
      Buffer.from(vault.open({ tenant, owner: `file:${id}` }, secrets ?? {})['key'] ?? '', 'base64'),
    )
    const decoder = new TextDecoder()
    let before = ''
    for (let number = 0; ; number += 1) {
      const sealed = await store.files.chunk(tenant, id!, number)
      if (!sealed) return
      const bytes = fileKey && readable(() => openChunk(fileKey, { tenant, id: id!, number }, sealed))
      if (!bytes || (number === 0 && !isText(bytes))) {
        yield undefined
        return
      }
      const text = before + decoder.decode(bytes, { stream: true })
      yield text
      before = text.slice(-overlap)
    }
  }

  const itemOf = async (row: PersonalRow): Promise<StoredItem> => {
    const { kind, tenant, key, at } = row
    const texts = kind === 'file' ? fileTexts(row) : await textsOf(row)
    return {
      kind,
      id: key.join(' '),
      at,
      label: kind === 'file' || kind === 'outcome' ? row.texts[0]! : kind === 'run' ? row.texts.join(' ') : '',
      texts: () => texts,
      async erase(byLabel) {
        if (kind === 'file') return store.files.remove(tenant, key[0]!)
        if (kind === 'people_list') return store.peopleLists.remove(tenant, key[0]!)
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
