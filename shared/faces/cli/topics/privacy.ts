import { resolve } from 'node:path'
import { fail } from '#kit'
import type { Input } from '../operations.ts'
import { asJson, command, flag, paging, tenant, text, texts } from '../declare.ts'
import type { Context } from '../declare.ts'
import { readSuppressionFile } from '../suppression-list.ts'
import { table } from '../table.ts'

const person = {
  email: texts('<address>', 'by e-mail address; repeatable'),
  linkedin: texts('<profile>', 'by address or slug of the profile; repeatable'),
  phone: texts('<number>', 'by phone number with its country, such as "+61 491 570 156"; repeatable'),
  recordId: texts('<id>', 'by the id that a provider has for the person; repeatable'),
  tenant,
  json: asJson,
}

const identifiersOf = ({
  email,
  linkedin,
  phone,
  recordId,
}: {
  email: string[]
  linkedin: string[]
  phone: string[]
  recordId: string[]
}): Input<'privacy.exportPerson'>['identifiers'] => {
  const identifiers = [
    ...email.map((email) => ({ email })),
    ...linkedin.map((linkedin) => ({ linkedin })),
    ...phone.map((phone) => ({ phone })),
    ...recordId.map((recordId) => ({ recordId })),
  ]
  if (identifiers.length > 0) return identifiers
  throw fail(
    'invalid_input',
    'Name the person: give --email, --linkedin, --phone or --record-id; each may be given several times.',
  )
}

const maxListedLines = 5

const addFile = async ({ call, say, parts }: Context, tenant: string, file: string) => {
  const total = { added: 0, present: 0, lines: 0, unread: 0 }
  const named: number[] = []
  for await (const { entries, lines, unread } of readSuppressionFile(resolve(parts.cwd, file))) {
    if (entries.length > 0) {
      const { added, present } = await call('privacy.addSuppressions', { tenant, entries, source: 'file' })
      total.added += added
      total.present += present
    }
    total.lines = lines
    total.unread += unread.length
    named.push(...unread.slice(0, maxListedLines - named.length))
  }
  const unread = `\nNobody was found in ${total.unread} lines (${named.join(', ')}${total.unread > named.length ? ', …' : ''}).`
  say(
    { ...total, unreadLines: named },
    `${total.lines} lines: ${total.added} entries added, ${total.present} there already.${total.unread > 0 ? unread : ''}`,
  )
}

export const privacyCommands = [
  command(
    {
      usage: 'suppressions',
      about: 'list who is neither looked up nor shown, as keyed hashes',
      options: { ...paging('50'), tenant },
    },
    async ({ call, say, terminal }, query) => {
      const page = await call('privacy.listSuppressions', query)
      const rows = page.items.map(({ id, kind, source, createdAt }) => [id, kind, source, createdAt])
      const more = page.next === undefined ? '' : `\nMore: --cursor ${page.next}`
      say(
        page,
        rows.length === 0
          ? 'The suppression list is empty.'
          : `${table(['id', 'kind', 'from', 'added'], rows, terminal.width)}${more}`,
      )
    },
  ),
  command(
    {
      usage: 'suppressions add',
      about: 'add people to the list; nothing is looked up or spent for them any more',
      options: {
        ...person,
        file: text(
          '<path>',
          'every address, profile, number with its country and SHA-256 of an address in this CSV or text file, of any size',
        ),
      },
    },
    async (context, { file, tenant, ...identifiers }) => {
      if (file !== undefined) return addFile(context, tenant, file)
      const done = await context.call('privacy.addSuppressions', { tenant, entries: identifiersOf(identifiers) })
      context.say(done, `${done.added} added, ${done.present} there already.`)
    },
  ),
  command(
    {
      usage: 'suppressions remove',
      about: 'remove people from the list',
      options: person,
    },
    async ({ call, say }, { tenant, ...identifiers }) => {
      const done = await call('privacy.removeSuppressions', { tenant, entries: identifiersOf(identifiers) })
      say(done, `${done.removed} removed.`)
    },
  ),
  command({ usage: 'privacy', about: 'export or erase what is stored about a person' }),
  command(
    {
      usage: 'privacy export',
      about: 'print everything that is stored about a person, as JSON',
      options: person,
    },
    async ({ call, terminal }, { tenant, ...identifiers }) => {
      terminal.out(
        `${JSON.stringify(await call('privacy.exportPerson', { tenant, identifiers: identifiersOf(identifiers) }), null, 2)}\n`,
      )
    },
  ),
  command(
    {
      usage: 'privacy erase',
      about: 'erase it for good and print a receipt',
      options: { ...person, suppress: flag('put the person on the suppression list first') },
    },
    async ({ call, say }, { tenant, suppress = false, ...identifiers }) => {
      const receipt = await call('privacy.erasePerson', { tenant, identifiers: identifiersOf(identifiers), suppress })
      const removed = Object.entries(receipt.removed).map(([kind, count]) => `${count} ${kind}`)
      const lines = [
        `Receipt ${receipt.id}, ${receipt.at}: ${removed.length === 0 ? 'nothing was stored' : `erased ${removed.join(', ')}`}.`,
        receipt.copies > 0 && `${receipt.copies} copies of the database from before upgrades were removed.`,
        receipt.unread > 0 &&
          `${receipt.unread} files that are no text, or items that are damaged or have lost their key, were not searched; see toolyard files, toolyard bulk and toolyard doctor.`,
        receipt.auditRows > 0 &&
          `${receipt.auditRows} rows of the audit log name the person. They cannot change; they go when they are as old as the audit log is kept.`,
        'Backups that were made before are not changed.',
      ]
      say(receipt, lines.filter(Boolean).join('\n'))
    },
  ),
]
