import { failures } from '#kit'
import { command } from '../declare.ts'
import { table } from '../table.ts'

export const keyCommands = [
  command(
    {
      usage: 'keys',
      about: 'show which master keys seal the stored secrets',
    },
    async ({ call, say, terminal }) => {
      const keys = await call('admin.getKeys')
      const useOf = (id: string) => {
        if (id === keys.present) return 'seals new secrets'
        if (keys.previous.includes(id)) return 'read only'
        return keys.kept.includes(id) ? 'kept for older backups' : 'missing'
      }
      const ids = [...new Set([keys.present, ...keys.previous, ...keys.kept, ...Object.keys(keys.rows)])]
      const rows = ids.map((id) => [id, String(keys.rows[id] ?? 0), useOf(id)])
      say(keys, table(['master key', 'rows', 'use'], rows, terminal.width))
    },
  ),
  command(
    {
      usage: 'keys rotate',
      about: 'reseal everything under a new master key, while the server keeps running',
    },
    async ({ call, say, note }) => {
      const done = await call('admin.rotateKeys')
      const isWhole = done.failed.length === 0
      const made = done.made
        ? `New master key ${done.keyId}.`
        : `The master keys come from the environment; everything is now sealed under ${done.keyId}.`
      const former =
        done.kept.length > 0 ? 'They stay in the key file.' : 'Keep them as long as you keep those backups.'
      const dropped =
        done.dropped.length > 0
          ? `Needed only for existing backups: ${done.dropped.join(', ')}. ${former}`
          : 'Former keys are still needed.'
      say(done, `${made} Rows resealed: ${done.resealed}. ${isWhole ? dropped : ''}`)
      for (const { kind, tenant, id, reason } of done.failed)
        note(`cannot be decrypted: ${kind} ${id} of ${tenant === '' ? 'the operator' : tenant}: ${reason}`)
      return isWhole ? 0 : failures.not_connected.exit
    },
  ),
]
