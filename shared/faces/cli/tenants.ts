import type { Client } from './client.ts'
import { table } from './table.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

/** `toolyard tenants` */
export const listTenants = async (client: Client, terminal: Terminal, { json }: { json?: boolean }): Promise<number> => {
  try {
    const all = await client.operator.tenants()
    const rows = all.map(({ id, name, createdAt }) => [id, createdAt.slice(0, 10), name])
    terminal.out(json ? `${JSON.stringify(all)}\n` : `${table(['tenant', 'since', 'name'], rows, terminal.width)}\n`)
    return 0
  } finally {
    await client.close()
  }
}

/** `toolyard tenants add <name>` */
export const addTenant = async (client: Client, terminal: Terminal, { json, id, name }: { json?: boolean; id?: string; name: string }): Promise<number> => {
  try {
    const made = await client.operator.addTenant({ id, name })
    terminal.out(
      json
        ? `${JSON.stringify(made)}\n`
        : `Tenant ${made.id} is created. Create a token for it with: ${typed(terminal, `tokens add <name> --tenant ${made.id}`)}\n`,
    )
    return 0
  } finally {
    await client.close()
  }
}
