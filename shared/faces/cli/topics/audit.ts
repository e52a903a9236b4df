import { failField } from '#kit'
import { command, tenant, text } from '../declare.ts'

const readHead = (head: string) => {
  const trimmed = head.trim()
  if (!/^\d{1,15}:([0-9a-f]{64})?$/.test(trimmed))
    throw failField('head', `--head is not an output of "toolyard audit head": "${head.slice(0, 80)}".`)
  return trimmed
}

export const auditCommands = [
  command({ usage: 'audit', about: 'check the audit log, or export its newest row' }),
  command(
    {
      usage: 'audit head',
      about:
        'print number and hash of the newest row; store it elsewhere to prove later that no row up to it was removed',
      options: { tenant },
    },
    async ({ call, say }, { tenant }) => {
      const { seq, hash } = await call('admin.getAuditHead', { tenant })
      say({ seq, hash, head: `${seq}:${hash}` }, `${seq}:${hash}`)
    },
  ),
  command(
    {
      usage: 'audit verify',
      about: 'check that no row was changed or removed; exit code 1 if one was',
      options: { head: text('<head>', 'an earlier output of "audit head": that row must still exist'), tenant },
    },
    async ({ call, say }, { head, tenant }) => {
      const verdict = await call('admin.verifyAudit', { tenant, head: head === undefined ? undefined : readHead(head) })
      const unsigned =
        verdict.keyedFrom === undefined
          ? ''
          : ` Rows before ${verdict.keyedFrom} were written by a version that did not sign the log.`
      const broken = `The audit log is not intact: row ${verdict.seq}, ${verdict.reason}.`
      say(verdict, verdict.ok ? `${verdict.rows} rows, none changed or removed.${unsigned}` : broken)
      return verdict.ok ? 0 : 1
    },
  ),
]
