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
        id === keys.present
          ? 'seals everything new'
          : keys.previous.includes(id)
            ? 'only read'
            : keys.kept.includes(id)
              ? 'kept for backups made before'
              : 'not here',
      ])
      terminal.out(`${table(['master key', 'rows', 'use'], rows, terminal.width)}\n`)
    }
    return 0
  } finally {
    await client.close()
  }
}

/** `toolyard keys rotate`: a new master key, and everything sealed again under it, while the server goes on serving. */
export const rotateKeys = async (client: Client, terminal: Terminal, { json }: { json?: boolean }): Promise<number> => {
  try {
    const done = await client.operator.rotateKeys()
    const isWhole = done.failed.length === 0
    if (json) terminal.out(`${JSON.stringify(done)}\n`)
    else {
      const made = done.made ? `New master key ${done.keyId}.` : `The master keys come from the environment; everything is sealed under ${done.keyId} now.`
      const former = done.kept.length > 0 ? 'They stay in the key file.' : 'Keep them as long as those backups.'
      const dropped =
        done.dropped.length > 0 ? `Needed only by backups made before now: ${done.dropped.join(', ')}. ${former}` : 'Former keys are still needed here.'
      terminal.out(`${made} Rows sealed again: ${done.resealed}. ${isWhole ? dropped : ''}\n`)
      for (const { kind, tenant, id, reason } of done.failed)
        terminal.err(`cannot be opened: ${kind} ${id} of ${tenant === '' ? 'the operator' : tenant}: ${reason}\n`)
    }
    return isWhole ? 0 : failures.not_connected.exit
  } finally {
    await client.close()
  }
}
