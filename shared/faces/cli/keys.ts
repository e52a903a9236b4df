import { failures } from '#kit'
import type { Client } from './client.ts'
import { table } from './table.ts'
import type { Terminal } from './terminal.ts'

/** `toolyard keys`: which master keys are in use. */
export const showKeys = async (client: Client, terminal: Terminal, { json }: { json?: boolean }): Promise<number> => {
  try {
    const keys = await client.operator.keys()
    if (json) terminal.out(`${JSON.stringify(keys)}\n`)
    else {
      const ids = [...new Set([keys.present, ...keys.previous, ...keys.kept, ...Object.keys(keys.rows)])]
      const rows = ids.map((id) => [
        id,
        String(keys.rows[id] ?? 0),
        id === keys.present ? 'seals new secrets' : keys.previous.includes(id) ? 'read only' : keys.kept.includes(id) ? 'kept for older backups' : 'missing',
      ])
      terminal.out(`${table(['master key', 'rows', 'use'], rows, terminal.width)}\n`)
    }
    return 0
  } finally {
    await client.close()
  }
}

/** `toolyard keys rotate`: creates a new master key and reseals everything, while the server keeps running. */
export const rotateKeys = async (client: Client, terminal: Terminal, { json }: { json?: boolean }): Promise<number> => {
  try {
    const done = await client.operator.rotateKeys()
    const isWhole = done.failed.length === 0
    if (json) terminal.out(`${JSON.stringify(done)}\n`)
    else {
      const made = done.made ? `New master key ${done.keyId}.` : `The master keys come from the environment; everything is now sealed under ${done.keyId}.`
      const former = done.kept.length > 0 ? 'They stay in the key file.' : 'Keep them as long as you keep those backups.'
      const dropped = done.dropped.length > 0 ? `Needed only for existing backups: ${done.dropped.join(', ')}. ${former}` : 'Former keys are still needed.'
      terminal.out(`${made} Rows resealed: ${done.resealed}. ${isWhole ? dropped : ''}\n`)
      for (const { kind, tenant, id, reason } of done.failed)
        terminal.err(`cannot be decrypted: ${kind} ${id} of ${tenant === '' ? 'the operator' : tenant}: ${reason}\n`)
    }
    return isWhole ? 0 : failures.not_connected.exit
  } finally {
    await client.close()
  }
}
