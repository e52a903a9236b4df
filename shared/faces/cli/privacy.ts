import { fail } from '#kit'
import type { Client } from './client.ts'
import type { GivenIdentifier } from './privacy-client.ts'
import { readSuppressionFile } from './suppression-list.ts'
import { table } from './table.ts'
import type { Terminal } from './terminal.ts'

export type PersonAsked = { tenant: string; json?: boolean; email: string[]; linkedin: string[]; phone: string[] }

const over = async (client: Client, work: () => Promise<void>): Promise<number> => {
  try {
    await work()
    return 0
  } finally {
    await client.close()
  }
}

const identifiersOf = ({ email, linkedin, phone }: PersonAsked): GivenIdentifier[] => [
  ...email.map((one) => ({ email: one })),
  ...linkedin.map((one) => ({ linkedin: one })),
  ...phone.map((one) => ({ phone: one })),
]
const requireSome = (asked: PersonAsked): GivenIdentifier[] => {
  const all = identifiersOf(asked)
  if (all.length === 0) throw fail('invalid_input', 'Give who it is: --email, --linkedin or --phone; each may be given several times.')
  return all
}

const maxLinesNamed = 5

const addFile = async (client: Client, terminal: Terminal, { tenant, json }: PersonAsked, path: string) => {
  const total = { added: 0, present: 0, lines: 0, unread: 0 }
  const named: number[] = []
  for await (const { entries, lines, unread } of readSuppressionFile(path)) {
    if (entries.length > 0) {
      const { added, present } = await client.privacy.suppress({ tenant, entries, source: 'file' })
      total.added += added
      total.present += present
    }
    total.lines = lines
    total.unread += unread.length
    named.push(...unread.slice(0, maxLinesNamed - named.length))
  }
  if (json) return terminal.out(`${JSON.stringify({ ...total, unreadLines: named })}\n`)
  terminal.out(`${total.lines} lines: ${total.added} entries added, ${total.present} there already.\n`)
  if (total.unread > 0) terminal.out(`Nobody was found in ${total.unread} lines (${named.join(', ')}${total.unread > named.length ? ', …' : ''}).\n`)
}

/** `toolyard suppressions` */
export const listSuppressions = (
  client: Client,
  terminal: Terminal,
  { tenant, json, limit, cursor }: { tenant: string; json?: boolean; limit: string; cursor?: string },
) =>
  over(client, async () => {
    const page = await client.privacy.suppressions({ tenant, limit, ...(cursor === undefined ? {} : { cursor }) })
    if (json) return terminal.out(`${JSON.stringify(page)}\n`)
    if (page.items.length === 0) return terminal.out('The suppression list is empty.\n')
    const rows = page.items.map(({ id, kind, source, createdAt }) => [id, kind, source, createdAt])
    terminal.out(`${table(['id', 'kind', 'from', 'added'], rows, terminal.width)}\n`)
    if (page.next !== undefined) terminal.out(`More: --cursor ${page.next}\n`)
  })

/** `toolyard suppressions add` */
export const addSuppressions = (client: Client, terminal: Terminal, { file, ...asked }: PersonAsked & { file?: string }) =>
  over(client, async () => {
    if (file !== undefined) return addFile(client, terminal, asked, file)
    const done = await client.privacy.suppress({ tenant: asked.tenant, entries: requireSome(asked) })
    terminal.out(asked.json ? `${JSON.stringify(done)}\n` : `${done.added} added, ${done.present} there already.\n`)
  })

/** `toolyard suppressions remove` */
export const removeSuppressions = (client: Client, terminal: Terminal, asked: PersonAsked) =>
  over(client, async () => {
    const done = await client.privacy.unsuppress({ tenant: asked.tenant, entries: requireSome(asked) })
    terminal.out(asked.json ? `${JSON.stringify(done)}\n` : `${done.removed} removed.\n`)
  })

/** `toolyard privacy export` */
export const exportPerson = (client: Client, terminal: Terminal, asked: PersonAsked) =>
  over(client, async () =>
    terminal.out(`${JSON.stringify(await client.privacy.exportPerson({ tenant: asked.tenant, identifiers: requireSome(asked) }), null, 2)}\n`),
  )

/** `toolyard privacy erase` */
export const erasePerson = (client: Client, terminal: Terminal, { suppress = false, ...asked }: PersonAsked & { suppress?: boolean }) =>
  over(client, async () => {
    const receipt = await client.privacy.erasePerson({ tenant: asked.tenant, identifiers: requireSome(asked), suppress })
    if (asked.json) return terminal.out(`${JSON.stringify(receipt)}\n`)
    const removed = Object.entries(receipt.removed).map(([kind, count]) => `${count} ${kind}`)
    terminal.out(`Receipt ${receipt.id}, ${receipt.at}: ${removed.length === 0 ? 'nothing was stored' : `erased ${removed.join(', ')}`}.\n`)
    if (receipt.copies > 0) terminal.out(`${receipt.copies} copies of the database from before upgrades were removed.\n`)
    if (receipt.unread > 0) terminal.out(`${receipt.unread} files are no text and were not searched; see toolyard files.\n`)
    if (receipt.auditRows > 0)
      terminal.out(`${receipt.auditRows} rows of the audit log name the person. They cannot change; they go when they are as old as the audit log is kept.\n`)
    terminal.out('Backups that were made before are not changed.\n')
  })
