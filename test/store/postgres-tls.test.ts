import { chownSync, copyFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { driverOptions } from '../../shared/store/postgres/address.ts'
import { openConnections } from '../../shared/store/postgres/connection.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { makeCertificates } from '../faults/certificate.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'

const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: async () => {} }

describe('the address of a database', () => {
  it('keeps everything but TLS, which the driver gets from here', () => {
    const address = 'postgres://u:p%40s@db.example.com:5433/t?options=-c%20geqo%3Doff'
    expect(driverOptions(address)).toEqual({ connectionString: address, ssl: false, sslnegotiation: 'postgres' })
    expect(driverOptions(`${address}&sslmode=verify-full&uselibpqcompat=true&sslnegotiation=direct`)).toEqual({
      connectionString: address.replace('%20', '+'),
      ssl: { rejectUnauthorized: true },
      sslnegotiation: 'direct',
    })
  })

  it('means a socket of this machine, which is never encrypted', () => {
    expect(driverOptions('postgres://u@localhost/t?host=/run/postgresql&sslmode=require').ssl).toBe(false)
  })

  it('is refused with a certificate that cannot be read', () => {
    expect(() => driverOptions('postgres://u:p@db.example.com/t?sslrootcert=/nowhere/ca.pem')).toThrow(
      'DATABASE_URL has sslrootcert=/nowhere/ca.pem, which cannot be read (ENOENT). Name a PEM file that this user can read.',
    )
  })
})

describe.skipIf(postgresIsMissing())('a connection to PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let plain: string
  const warnings: string[] = []
  const note = ({ message }: Error) => void warnings.push(message)
  const authority = () => join(server.folder, 'authority.pem')
  const other = () => join(server.folder, 'other.pem')

  /** Serves TLS with a certificate for `localhost`. */
  const encrypt = async () => {
    const { authority: ca, good } = makeCertificates('localhost')
    writeFileSync(authority(), ca)
    writeFileSync(other(), makeCertificates('localhost').authority)
    const { uid, gid } = statSync(server.folder)
    for (const [name, text] of [
      ['server.crt', good.cert],
      ['server.key', good.key],
    ] as const) {
      const file = join(server.folder, 'data', name)
      writeFileSync(file, text, { mode: 0o600 })
      chownSync(file, uid, gid)
    }
    const connections = openConnections({ url: plain, log: () => {} })
    await connections.script("alter system set ssl to 'on'")
    await connections.script('select pg_reload_conf()')
    await connections.close()
  }

  /** Whether the connection is encrypted, or why there is none. */
  const connect = async (query: string, host = '127.0.0.1'): Promise<string> => {
    const url = `${plain.replace('127.0.0.1', host)}${query}`
    const connections = openConnections({ url, log: () => {}, connections: 1 })
    try {
      const [result] = await connections.script('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
      return String(result!.rows[0]!['ssl']) === 't' ? 'encrypted' : 'plain'
    } catch (thrown) {
      return (thrown as Error).message
    } finally {
      await connections.close()
    }
  }

  beforeAll(async () => {
    process.on('warning', note)
    server = await startPostgres()
    plain = await server.createDatabase()
  })
  afterAll(async () => {
    await server.close()
    process.off('warning', note)
  })

  it('fails where encryption is wanted and the server has none', async () => {
    expect(await connect('')).toBe('plain')
    expect(await connect('?sslmode=require')).toMatch(/cannot be reached \(The server does not support SSL/)
    expect(await connect('?sslmode=prefer')).toMatch(/cannot be reached \(The server does not support SSL/)
  })

  it('is encrypted and checked as sslmode says, in the meaning of libpq', async () => {
    await encrypt()
    const signed = `sslrootcert=${authority()}`
    const wrong = `sslrootcert=${other()}`
    const untrusted = expect.stringContaining('nobody whom this server trusts has signed its certificate') as string
    const otherName = expect.stringContaining('certificate is for another name than the host') as string
    const cases: [query: string, host: string, outcome: string][] = [
      ['', '127.0.0.1', 'plain'],
      ['?sslmode=disable', '127.0.0.1', 'plain'],
      ['?ssl=0', '127.0.0.1', 'plain'],
      ['?sslmode=prefer', '127.0.0.1', 'encrypted'],
      ['?sslmode=no-verify', '127.0.0.1', 'encrypted'],
      ['?ssl=no-verify', '127.0.0.1', 'encrypted'],
      ['?sslmode=require', '127.0.0.1', 'encrypted'],
      [`?sslmode=require&${signed}`, '127.0.0.1', 'encrypted'],
      [`?sslmode=require&${wrong}`, '127.0.0.1', untrusted],
      [`?sslmode=verify-ca&${signed}`, '127.0.0.1', 'encrypted'],
      [`?sslmode=verify-ca&${wrong}`, '127.0.0.1', untrusted],
      ['?sslmode=verify-ca', 'localhost', untrusted],
      [`?sslmode=verify-full&${signed}`, '127.0.0.1', otherName],
      [`?sslmode=verify-full&${signed}`, 'localhost', 'encrypted'],
      [`?sslmode=verify-full&${wrong}`, 'localhost', untrusted],
      ['?sslmode=verify-full', 'localhost', untrusted],
      ['?sslmode=verify-full&sslrootcert=system', 'localhost', untrusted],
      ['?ssl=true', 'localhost', untrusted],
      [`?${signed}`, 'localhost', 'encrypted'],
      [`?sslmode=prefer&uselibpqcompat=true&${wrong}`, '127.0.0.1', 'encrypted'],
    ]
    const outcomes = []
    for (const [query, host] of cases) outcomes.push([query, host, await connect(query, host)])
    expect(outcomes).toEqual(cases)
  })

  it('is so for all connections of a server, and no library warns', async () => {
    const url = `${plain.replace('127.0.0.1', 'localhost')}?sslmode=verify-ca&sslrootcert=${authority()}`
    // Files are read once: a server goes on when they are gone.
    const copy = join(server.folder, 'copy.pem')
    copyFileSync(authority(), copy)
    const store = await openPostgresStore({ url: url.replace(authority(), copy), clock, log: () => {} })
    rmSync(copy)
    const connections = openConnections({ url, log: () => {} })
    const [counts] = await connections.script(
      `select application_name as name, bool_and(ssl) as encrypted from pg_stat_ssl join pg_stat_activity using (pid)
       where datname = current_database() group by 1 order by 1`,
    )
    await connections.close()
    await store.close()
    expect(counts!.rows.map(({ name, encrypted }) => [name, String(encrypted)])).toEqual([
      ['toolyard', 't'],
      ['toolyard notifications', 't'],
    ])
    expect(warnings).toEqual([])
  })
})
