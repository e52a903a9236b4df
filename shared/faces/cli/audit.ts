import { failField } from '#kit'
import type { Client } from './client.ts'
import type { Terminal } from './terminal.ts'

type Asked = { json?: boolean; tenant: string }

/** `toolyard audit head`: the newest row as one text, to be stored where nobody with access to the data can write. */
export const auditHead = async (client: Client, terminal: Terminal, { json, tenant }: Asked): Promise<number> => {
  try {
    const { seq, hash } = await client.operator.auditHead(tenant)
    terminal.out(json ? `${JSON.stringify({ seq, hash, head: `${seq}:${hash}` })}\n` : `${seq}:${hash}\n`)
    return 0
  } finally {
    await client.close()
  }
}

const readHead = (text: string) => {
  const [, seq, hash = ''] = /^(\d{1,15}):([0-9a-f]{64})?$/.exec(text.trim()) ?? []
  if (seq === undefined) throw failField('head', `--head is not an output of "toolyard audit head": "${text.slice(0, 80)}".`)
  return { seq: Number(seq), hash }
}

/** `toolyard audit verify`: whether no row was changed or removed. Exit 1 when one was. */
export const verifyAudit = async (client: Client, terminal: Terminal, { json, tenant, head }: Asked & { head?: string }): Promise<number> => {
  try {
    const verdict = await client.operator.verifyAudit(tenant, head === undefined ? undefined : readHead(head))
    if (json) terminal.out(`${JSON.stringify(verdict)}\n`)
    else if (!verdict.ok) terminal.out(`The audit log is not intact: row ${verdict.seq}, ${verdict.reason}.\n`)
    else {
      const unsigned = verdict.keyedFrom === undefined ? '' : ` Rows before ${verdict.keyedFrom} were written by a version that did not sign the log.`
      terminal.out(`${verdict.rows} rows, none changed or removed.${unsigned}\n`)
    }
    return verdict.ok ? 0 : 1
  } finally {
    await client.close()
  }
}
