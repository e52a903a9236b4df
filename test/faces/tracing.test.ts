import { AsyncLocalStorage } from 'node:async_hooks'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Attributes, Context, ContextManager, Span, Tracer } from '@opentelemetry/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHttpWorld } from '../support/http-world.ts'
import { start, withDirectory } from './process.ts'
import type { HttpWorld } from '../support/http-world.ts'

type Seen = {
  id: string
  parent: string | undefined
  name: string
  kind: SpanKind | undefined
  attributes: Attributes
  status: number
  ended: number
}

/** As much of an SDK as our spans need. */
const seen: Seen[] = []
const local = new AsyncLocalStorage<Context>()
const manager: ContextManager = {
  active: () => local.getStore() ?? ROOT_CONTEXT,
  with: (at, work, self, ...args) => local.run(at, () => work.call(self as never, ...(args as never))),
  bind: (_at, target) => target,
  enable: () => manager,
  disable: () => manager,
}
const startSpan: Tracer['startSpan'] = (name, options = {}, at = manager.active()) => {
  const row: Seen = {
    id: String(seen.length + 1),
    parent: trace.getSpan(at)?.spanContext().spanId,
    name,
    kind: options.kind,
    attributes: { ...options.attributes },
    status: SpanStatusCode.UNSET,
    ended: 0,
  }
  seen.push(row)
  const span: Span = {
    spanContext: () => ({ traceId: '1', spanId: row.id, traceFlags: 1 }),
    setAttribute: (key, value) => (Object.assign(row.attributes, { [key]: value }), span),
    setAttributes: (more) => (Object.assign(row.attributes, more), span),
    setStatus: ({ code }) => ((row.status = code), span),
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    updateName: () => span,
    end: () => void (row.ended += 1),
    isRecording: () => true,
    recordException: () => {},
  }
  return span
}
const startActiveSpan = ((name: string, options: object, work: (span: Span) => unknown) => {
  const span = startSpan(name, options)
  return manager.with(trace.setSpan(manager.active(), span), () => work(span))
}) as Tracer['startActiveSpan']

let face: HttpWorld
beforeAll(async () => {
  context.setGlobalContextManager(manager)
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan }) })
  face = await openHttpWorld()
})
afterAll(async () => {
  await face.close()
  trace.disable()
  context.disable()
})

const run = async (step: string, body: object) => {
  seen.length = 0
  return face.ask(`/v1/steps/${step}/run`, { body })
}

describe('spans', () => {
  it('one for the run, and in it one for each exchange', async () => {
    const { json } = await run('work-board/get-boards', { input: {} })
    expect(seen).toMatchObject([
      { name: 'toolyard.run', parent: undefined, status: SpanStatusCode.UNSET, ended: 1 },
      { name: 'toolyard.exchange', parent: '1', kind: SpanKind.CLIENT, status: SpanStatusCode.UNSET, ended: 1 },
    ])
    expect(seen[0]!.attributes).toEqual({
      'toolyard.integration': 'work-board',
      'toolyard.step': 'get-boards',
      'toolyard.tenant': 'default',
      'toolyard.dry_run': false,
      'toolyard.run_id': json.meta.runId,
      'toolyard.attempts': 1,
    })
    expect(seen[1]!.attributes).toEqual({
      'toolyard.integration': 'work-board',
      'http.request.method': 'GET',
      'toolyard.effect': 'read',
      'http.response.status_code': 200,
      'http.request.resend_count': 0,
    })
  })

  it('a failure is an error with its code, and nothing of its text', async () => {
    face.sandbox.board.control.fault({
      match: { path: '/1/members/me/boards' },
      times: 9,
      answer: { status: 400, body: 'canary words' },
    })
    await run('work-board/get-boards', { input: {} })
    face.sandbox.board.control.clearFaults()
    expect(seen[0]).toMatchObject({
      status: SpanStatusCode.ERROR,
      attributes: { 'toolyard.code': 'rejected' },
      ended: 1,
    })
    face.sandbox.board.control.fault({ match: { path: '/1/members/me/boards' }, times: 9, cut: 'reset' })
    await run('work-board/get-boards', { input: {} })
    face.sandbox.board.control.clearFaults()
    expect(seen).toMatchObject([
      { attributes: { 'toolyard.code': 'unreachable' } },
      { status: SpanStatusCode.ERROR, attributes: { 'toolyard.code': 'unreachable' }, ended: 1 },
    ])
    expect(JSON.stringify(seen)).not.toContain('canary')
  })

  it('hold no secret, input or address', async () => {
    await run('work-board/api-call', {
      input: { method: 'GET', path: '/1/members/me', query: { fields: 'canary-field' } },
    })
    const text = JSON.stringify(seen)
    expect(seen.length).toBe(2)
    expect(text).not.toMatch(/canary|members|http:|authorization/)
    for (const secret of Object.values(face.sandbox.board.credentials))
      if (typeof secret === 'string' && secret.length > 8) expect(text).not.toContain(secret)
  })

  it('are not made, and their package is not loaded, where nobody registered a provider', () => {
    const script = `
      import { registerHooks } from 'node:module'
      const urls = []
      registerHooks({ load(url, context, next) { urls.push(url); return next(url, context) } })
      const { createPack } = await import(${JSON.stringify(fileURLToPath(new URL('../../shared/pack.ts', import.meta.url)))})
      await (await createPack()).close()
      console.log(urls.filter((url) => url.includes('opentelemetry')).length)`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    expect(stdout, stderr).toBe('0\n')
  })
})

describe('a server', () => {
  const listLoaded = `data:text/javascript,${encodeURIComponent(`import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) {
      if (/shared.traces|http.traced|opentelemetry/.test(url)) process.stderr.write('loaded ' + url + '\\n')
      return next(url, context)
    } })`)}`
  const serve = (env: Record<string, string>) =>
    withDirectory(async (directory) => {
      const served = start(
        ['serve'],
        { TOOLYARD_DATA: directory, TOOLYARD_PORT: '0', TOOLYARD_LOG: 'json', ...env },
        { nodeArgs: ['--import', listLoaded] },
      )
      await expect.poll(() => served.err(), { timeout: 30_000 }).toMatch(/"event":"serving"|not usable/)
      served.kill('SIGTERM')
      const { code, err } = await served.ended
      return { code, err, loaded: [...err.matchAll(/^loaded .*shared\/(.*)$/gm)].map(([, file]) => file!) }
    })

  it('loads nothing of it without a collector, nor when traces are switched off', async () => {
    const off = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }
    for (const env of [{}, off]) expect(await serve(env)).toMatchObject({ code: 0, loaded: [] })
  })

  it('loads it with one', async () => {
    const { code, loaded } = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
    expect(code).toBe(0)
    expect(loaded).toEqual(expect.arrayContaining(['traces/index.ts', 'traces/exporter.ts', 'faces/http/traced.ts']))
  })

  it('does not start with a setting of it that cannot be used', async () => {
    const { code, err } = await serve({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TIMEOUT: '10s',
    })
    expect(code).not.toBe(0)
    expect(err).toContain('OTEL_EXPORTER_OTLP_TIMEOUT is not usable: "10s"')
  })

  it('starts where others send traces by gRPC, sends none, and says so', async () => {
    const { code, err, loaded } = await serve({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    })
    expect({ code, loaded }).toEqual({ code: 0, loaded: [] })
    const lines = err.split('\n').filter((line) => line.includes('"traces.off"'))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 'warn',
        setting: 'OTEL_EXPORTER_OTLP_PROTOCOL',
        reason: expect.stringContaining('is grpc, which is not supported'),
        remedy: expect.stringContaining('OTEL_TRACES_EXPORTER=none'),
      },
    ])
  })
})
