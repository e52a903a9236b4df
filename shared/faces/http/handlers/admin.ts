import { pageOf } from '../cut-page.ts'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { adminOperations } from '../../../api/operations/admin.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

const viewTenant = <T extends { createdAt: number }>(row: T) => ({
  ...row,
  createdAt: new Date(row.createdAt).toISOString(),
})

const readHead = (head: string) => {
  const [seq, hash = ''] = head.split(':')
  return { seq: Number(seq), hash }
}

export const adminHandlers = ({ pack }: HttpDependencies): Handlers<typeof adminOperations> => ({
  listTenants: async ({ query }) => pageOf((await pack.tenants.list()).map(viewTenant), query),
  createTenant: async (request, reply) =>
    reply.code(201).send(viewTenant(await pack.tenants.create(request.body, request.caller))),
  listTokens: async ({ query: { person, ...query } }) => {
    const tokens = await pack.tokens.list(query.tenant)
    return pageOf(person === undefined ? tokens : tokens.filter((token) => token.person === person), query)
  },
  createToken: async (request, reply) => {
    const { tenant: owner, expiresAt, ...tokenFields } = request.body
    const created = await pack.tokens.create(
      owner,
      { ...tokenFields, ...(expiresAt === undefined ? {} : { expiresAt: Date.parse(expiresAt) }) },
      request.caller,
    )
    return reply.code(201).send(created)
  },
  revokeToken: async (request, reply) => {
    await pack.tokens.revoke(request.query.tenant, request.params.id, request.caller)
    return reply.code(204).send()
  },
  getKeys: () => pack.keys.get(),
  rotateKeys: ({ caller }) => pack.keys.rotate(caller),
  listAudit: ({ query: { tenant, limit, cursor, ...query } }) => {
    const filter = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
    return pack.audit.list(tenant, { limit, cursor }, filter)
  },
  verifyAudit: ({ query }) =>
    pack.audit.verify(query.tenant, query.head === undefined ? undefined : readHead(query.head)),
  getAuditHead: async ({ query }) => {
    const { seq, hash } = await pack.audit.head(query.tenant)
    return { seq, hash, head: `${seq}:${hash}` }
  },
  getPolicy: ({ query }) => pack.policies.get(query.tenant),
  putPolicy: ({ query, body, caller }) => pack.policies.put(query.tenant, body, caller),
  listChecks: async () => ({ items: await pack.checks() }),
  backup: async (request, reply) => {
    const folder = await mkdtemp(join(tmpdir(), 'toolyard-backup-'))
    const cleanUp = () => void rm(folder, { recursive: true, force: true }).catch(() => undefined)
    try {
      const file = join(folder, 'toolyard.db')
      const { bytes } = await pack.backup(request.caller, file)
      const content = createReadStream(file).once('close', cleanUp)
      return reply
        .headers({ 'content-length': bytes, 'content-disposition': 'attachment; filename="toolyard.db"' })
        .type('application/vnd.sqlite3')
        .send(content)
    } catch (error) {
      cleanUp()
      throw error
    }
  },
})
