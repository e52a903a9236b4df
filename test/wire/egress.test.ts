import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { callTo, failureOf, listen, profileFor, realOptions, secrets, wireTo } from './setup.ts'

const sink = await listen()

const refusedAddress = async (baseUrl: string, production = true) => {
  const before = sink.connections
  const wire = wireTo([], { egress: { privateOrigins: [], production } })
  const failure = await failureOf(wire.exchange(callTo(profileFor(baseUrl))))
  expect([baseUrl, failure.code]).toEqual([baseUrl, 'not_allowed'])
  expect(failure.message).toContain('wire.test-provider.baseUrl')
  expect(sink.connections).toBe(before)
}

describe('an address that an operator set', () => {
  const rows: Record<string, string[]> = {
    'loopback addresses': [
      'http://127.0.0.1:5432',
      'https://127.0.0.1',
      'https://localhost.',
      'https://localhost',
      'https://a.localhost',
      'https://[::1]',
      'https://127.1',
      'https://0x7f.1',
      'https://2130706433',
      'https://0177.0.0.1',
      'https://0',
      'https://①②⑦.⓪.⓪.①',
    ],
    'IPv4 inside IPv6': [
      'https://[::ffff:127.0.0.1]',
      'https://[::ffff:a9fe:a9fe]',
      'https://[64:ff9b::a9fe:a9fe]',
      'https://[2002:7f00:1::]',
      'https://[2001:0:53aa:64c:0:0:0:1]',
      'https://[::127.0.0.1]',
      'https://[::]',
      'https://[::ffff:0:7f00:1]',
      'https://[64:ff9b:1::1]',
      'https://[fec0::1]',
      'https://[100::1]',
      'https://[4000::1]',
    ],
    'private and special blocks': [
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '100.64.0.1',
      '169.254.169.254',
      '192.0.0.1',
      '198.18.0.1',
      '198.19.255.255',
      '224.0.0.1',
      '239.1.1.1',
      '240.0.0.1',
      '255.255.255.255',
      '0.0.0.0',
      '192.0.2.1',
      '203.0.113.1',
      '[fc00::1]',
      '[fdff::1]',
      '[fe80::1]',
      '[ff02::1]',
      '[2001:db8::1]',
    ].map((host) => `https://${host}`),
    'more than an origin and a path': [
      'https://user@api.provider.example',
      'https://user:pass@api.provider.example',
      'https://@api.provider.example',
      'https://api.provider.example/?x=1',
      'https://api.provider.example/#x',
      'https://api.provider.example?',
      'https://api.provider.example/a/../b',
      'https://api.provider.example/%2e%2e/b',
      'https://api.provider.example//b',
      'https://api.provider.example\\b',
      'https://api.provider.example/\tb',
      ' https://api.provider.example',
      'https:/api.provider.example',
      'https:api.provider.example',
      'https:///evil.test',
    ],
    'ports of databases and the like': ['22', '25', '6379', '5432', '80', '8080', '9200'].map(
      (port) => `https://api.provider.example:${port}`,
    ),
    schemes: [
      'http://api.provider.example',
      'ftp://api.provider.example',
      'file:///etc/passwd',
      'unix:/var/run/x.sock',
      'ws://api.provider.example',
      'gopher://api.provider.example',
      'data:,x',
      '//api.provider.example',
      'api.provider.example',
      '',
    ],
    'private names': ['https://db', 'https://service.internal', 'https://printer.local', 'https://router.home.arpa'],
  }
  for (const [row, addresses] of Object.entries(rows)) {
    test(row, async () => {
      for (const address of addresses) await refusedAddress(address)
    })
  }
  test('production mode or not, what is not listed must be public', async () => {
    for (const address of ['http://127.0.0.1:5432', 'https://10.0.0.1', 'https://[::1]'])
      await refusedAddress(address, false)
  })
  test('public addresses are taken, with their base path', async () => {
    const hostnames: string[] = []
    const resolve = async (hostname: string) => {
      hostnames.push(hostname)
      throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
    }
    for (const address of [
      'https://api.provider.example',
      'https://api.provider.example:8443/v2/',
      'https://bücher.example/x',
    ]) {
      const wire = wireTo([], { random: () => 0, resolve, egress: { privateOrigins: [], production: true } })
      expect((await failureOf(wire.exchange(callTo(profileFor(address))))).code).toBe('unreachable')
    }
    expect([...new Set(hostnames)]).toEqual(['api.provider.example', 'xn--bcher-kva.example'])
  })
  test('loopback is refused in production mode even when it is listed, unless this process serves it', async () => {
    const profile = profileFor(sink.origin)
    const before = sink.connections
    const listed = wireTo([], { egress: { privateOrigins: [sink.origin], production: true } })
    expect((await failureOf(listed.exchange(callTo(profile)))).code).toBe('not_allowed')
    const named = `http://here.test:${new URL(sink.origin).port}`
    const byName = wireTo([], {
      egress: { privateOrigins: [named], production: true },
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    expect((await failureOf(byName.exchange(callTo(profileFor(named))))).code).toBe('not_allowed')
    expect(sink.connections).toBe(before)
    const own = wireTo([], { egress: { privateOrigins: [], ownOrigins: [sink.origin], production: true } })
    expect((await own.exchange(callTo(profile))).status).toBe(200)
    const test = wireTo([], { egress: { privateOrigins: [sink.origin], production: false } })
    expect((await test.exchange(callTo(profile))).status).toBe(200)
  })
})

describe('the address of an agent', () => {
  const agent = sink.origin
  const taken = (
    origin: string,
    rules: {
      privateOrigins?: string[]
      agentOrigins?: string[]
      ownOrigins?: string[]
      loopbackAgents?: boolean
      production?: boolean
    },
  ) => {
    const wire = wireTo([], { egress: { privateOrigins: [], production: false, ...rules } })
    try {
      wire.checkTarget(`${origin}/start`)
      return true
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'not_allowed' })
      expect((thrown as Error).message).toContain('agent.url')
      return false
    }
  }
  test('is on this machine only where its origin is listed, or where every agent of this machine may be called', () => {
    expect(taken(agent, {})).toBe(false)
    expect(taken(agent, { agentOrigins: [agent] })).toBe(true)
    expect(taken(agent, { loopbackAgents: true })).toBe(true)
    expect(taken(agent, { loopbackAgents: true, production: true })).toBe(false)
    for (const other of [
      'http://localhost:9000',
      'http://127.0.0.2:9000',
      'http://10.0.0.1:9000',
      'http://[::1]:9000',
      'http://169.254.169.254',
      'http://127.0.0.1.evil.example',
      'https://127.0.0.1:9000',
    ])
      expect([other, taken(other, { loopbackAgents: true })]).toEqual([other, false])
  })
  test('what holds for agents holds for no provider', async () => {
    for (const rules of [{ loopbackAgents: true }, { agentOrigins: [agent] }]) {
      const wire = wireTo([], { egress: { privateOrigins: [], production: false, ...rules } })
      expect((await failureOf(wire.exchange(callTo(profileFor(agent))))).code).toBe('not_allowed')
    }
  })
  test('an origin that is listed for a provider, or is the sandbox, is none of an agent', async () => {
    expect(taken(agent, { privateOrigins: [agent] })).toBe(false)
    expect(taken(agent, { ownOrigins: [agent] })).toBe(false)
    expect(taken(agent, { ownOrigins: [agent], loopbackAgents: true })).toBe(false)
    // By a name too, which is looked up when it is called.
    const origin = 'https://inside.example:8443'
    const resolve = async () => [{ address: '10.0.0.7', family: 4 }]
    const wire = wireTo([], { egress: { privateOrigins: [origin], production: true }, resolve })
    const sent = wire.deliver({ url: `${origin}/any/path`, headers: {}, body: '{}', timeoutMs: 2000 })
    await expect(sent).rejects.toMatchObject({ code: 'not_allowed' })
  })
})

describe('the address that is connected to', () => {
  const port = new URL(sink.origin).port
  const through = (answers: { address: string; family: number }[][], privateOrigins: string[] = []) => {
    let turn = 0
    const wire = wireTo([], {
      random: () => 0,
      egress: { privateOrigins, production: true },
      resolve: async () => answers[Math.min(turn++, answers.length - 1)] ?? [],
    })
    return { wire, turns: () => turn }
  }
  const v4 = (address: string) => ({ address, family: 4 })

  test('a name that leads to a private address', async () => {
    for (const address of ['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', '::ffff:10.0.0.1', 'fd00::1']) {
      const { wire, turns } = through([[{ address, family: address.includes(':') ? 6 : 4 }]])
      const failure = await failureOf(wire.exchange(callTo(profileFor('https://api.provider.example'))))
      expect([failure.code, turns()]).toEqual(['not_allowed', 1])
      expect(failure.message).not.toContain(address)
    }
  })
  test('one bad answer among good ones is enough, wherever it stands', async () => {
    for (const answers of [
      [v4('93.184.215.14'), v4('127.0.0.1')],
      [v4('127.0.0.1'), v4('93.184.215.14')],
    ]) {
      const { wire } = through([answers])
      expect((await failureOf(wire.exchange(callTo(profileFor('https://api.provider.example'))))).code).toBe(
        'not_allowed',
      )
    }
  })
  test('a name that changes its mind: each connection uses the very answer that was checked', async () => {
    const origin = `http://flips.test:${port}`
    const before = sink.connections
    const { wire, turns } = through([[v4('93.184.215.14')], [v4('127.0.0.1')]])
    // Public at the first look, loopback at the next: there is no second look between check and connect.
    const first = await failureOf(
      wire.exchange(
        callTo(
          profileFor('https://flips.test', {
            timeouts: { connectMs: 50, headersMs: 50, bodyMs: 50, totalMs: 100, deadlineMs: 150 },
          }),
        ),
      ),
    )
    expect(first.code).not.toBe('internal')
    expect((await failureOf(wire.exchange(callTo(profileFor('https://flips.test'))))).code).toBe('not_allowed')
    expect(turns()).toBeGreaterThan(1)
    expect(sink.connections).toBe(before)
    // The one that was checked is the one used, also where private addresses are allowed.
    const listed = wireTo([], {
      egress: { privateOrigins: [origin], production: false },
      resolve: async () => [v4('127.0.0.1')],
    })
    expect((await listed.exchange(callTo(profileFor(origin)))).status).toBe(200)
  })
})

describe('the way out', () => {
  test('proxies of the environment and socket paths are not read', async () => {
    const proxy = await listen()
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']
    const before = names.map((name) => process.env[name])
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : proxy.origin
    try {
      const options = {
        ...realOptions([sink.origin]),
        socketPath: '/tmp/evil.sock',
        connect: { socketPath: '/tmp/evil.sock' },
      }
      const wire = wireTo([sink.origin], options)
      const profile = { ...profileFor(sink.origin), socketPath: '/tmp/evil.sock' } as ReturnType<typeof profileFor>
      expect((await wire.exchange(callTo(profile, { socketPath: '/tmp/evil.sock' } as object))).status).toBe(200)
      expect(proxy.connections).toBe(0)
    } finally {
      names.forEach((name, index) => {
        if (before[index] === undefined) Reflect.deleteProperty(process.env, name)
        else process.env[name] = before[index]
      })
    }
  })

  test('an egress proxy that the operator set gets the address that was checked', async () => {
    const tunnelTargets: string[] = []
    const proxy = createServer()
    proxy.on('connect', (request, socket) => {
      tunnelTargets.push(request.url ?? '')
      const [host = '', port = ''] = (request.url ?? '').split(':')
      const upstream = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        upstream.pipe(socket).pipe(upstream)
      })
      upstream.on('error', () => socket.destroy())
      socket.on('error', () => upstream.destroy())
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const { port } = new URL(sink.origin)
    const origin = `http://provider.test:${port}`
    const resolve = async (name: string) => [
      { address: name === 'provider.test' ? '127.0.0.1' : '10.0.0.1', family: 4 },
    ]
    const wire = wireTo([], {
      random: () => 0,
      egress: { privateOrigins: [origin], production: false, proxy: address },
      resolve,
    })
    const got = await wire.exchange(callTo(profileFor(origin), { method: 'POST', effect: 'create', body: { a: 1 } }))
    expect([got.status, tunnelTargets]).toEqual([200, [`127.0.0.1:${port}`]])
    expect(sink.seen.at(-1)?.url).toContain(encodeURIComponent(secrets.token))
    const blocked = await failureOf(wire.exchange(callTo(profileFor('https://api.provider.example'))))
    expect([blocked.code, tunnelTargets.length]).toEqual(['not_allowed', 1])
    proxy.closeAllConnections()
    proxy.close()
  })
})
