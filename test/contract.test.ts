import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import nock from 'nock'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { meets, sentenceText, z } from '#kit'
import type { Event, ExampleFile, Integration, Sentence, Step, Trigger } from '#kit'
import { integrations } from '../integrations/index.ts'
import { staleManifests } from '../scripts/manifests.ts'
import { connectedPack, intercept, leakProblems, replay, unprovenPack, wireFor } from './contract/replay.ts'
import { requireNone } from './contract/messages.ts'
import { hostilePaths, otherMethods } from './contract/refusals.ts'
import { replayTrigger } from './contract/replay-trigger.ts'
import { stepSentenceProblems, triggerSentenceProblems } from './contract/sentences.ts'
import { operationProblems } from './contract/operations.ts'
import { exampleFiles, promptProblems, structureProblems, triggerExampleFiles } from './contract/structure.ts'
import type { Subject } from './contract/structure.ts'
import fourth from './fixtures/fourth/manifest.ts'
import { stayOffline } from './support/offline.ts'
import { startProvider } from './support/provider.ts'
import { configOf, nobody, runsOfExamples, startsOfExamples } from './support/sentences.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
/** Every folder with a manifest, in the list or not. */
const subjectsIn = (place: string): Promise<Subject[]> =>
  Promise.all(
    readdirSync(join(root, place))
      .map((name) => join(root, place, name))
      .filter((folder) => existsSync(join(folder, 'manifest.ts')))
      .map(async (folder) => ({
        folder,
        integration: ((await import(/* @vite-ignore */ join(folder, 'manifest.ts'))) as { default: Integration })
          .default,
      })),
  )
const shipped = await subjectsIn('integrations')
/** It has all that the contract checks, and stays the same when another integration is being written. */
const workBoard = shipped.find(({ integration }) => integration.id === 'work-board')!
/** Throw-away integrations, and what `npm run new` copies: their folders are all they need. */
const subjects = [...shipped, ...(await subjectsIn('test/fixtures')), ...(await subjectsIn('scripts'))]
const caller = { tenant: 'default' }

stayOffline(/^127\.0\.0\.1/)
afterEach(() => nock.cleanAll())

describe('the list of integrations', () => {
  it('holds every folder once, sorted', () => {
    const folders = readdirSync(join(root, 'integrations')).filter((name) =>
      statSync(join(root, 'integrations', name)).isDirectory(),
    )
    expect(integrations.map(({ id }) => id)).toEqual(folders.sort())
  })

  it('matches the committed manifests', async () => {
    expect(await staleManifests(), 'stale: run "npm run manifests" and commit').toEqual([])
  })
})

describe('every folder', () => {
  // One test for each, so that `-t <id>` runs all that concerns an integration.
  it.each(subjects)('of $integration.id keeps the contract', async (subject) =>
    requireNone([
      ...structureProblems(subject),
      ...(await promptProblems(subject)),
      ...(await operationProblems(subject)),
    ]),
  )
})

describe('words', () => {
  const withWords = subjects.filter(({ integration }) => integration.words)
  it('are those of every integration that ships, and of every one with triggers', () => {
    const needed = subjects.filter((subject) => shipped.includes(subject) || subject.integration.triggers)
    requireNone(
      needed
        .filter((subject) => !withWords.includes(subject))
        .map(
          ({ integration: { id } }) =>
            `${id}: manifest.ts has no \`words\`. Say what its events and runs are in words.`,
        ),
    )
  })
  it.each(withWords)('of $integration.id say what each example starts and has done', ({ folder, integration }) => {
    const { id, words, steps, triggers = [] } = integration
    const examples = pathToFileURL(`${join(folder, 'examples')}/`)
    const runs = runsOfExamples(examples).filter(({ step }) => steps.some((candidate) => candidate.id === step))
    const withExample = triggers.filter((trigger) => existsSync(new URL(`${trigger.id}.json`, examples)))
    const sentences: [string, Sentence | undefined][] = [
      ...startsOfExamples(integration, examples).map(({ trigger, start }): [string, Sentence | undefined] => [
        `what started an agent by the trigger ${trigger}`,
        start,
      ]),
      ...runs.map(({ step, input, output }): [string, Sentence | undefined] => [
        `a run of the step ${step}`,
        words!.describeRun?.(step, input, output, nobody),
      ]),
      ...withExample.map((trigger): [string, Sentence | undefined] => [
        `what the trigger ${trigger.id} waits for`,
        words!.waitsFor?.(trigger.id, configOf(examples, trigger.id), nobody),
      ]),
    ]
    expect(sentences.length).toBeGreaterThan(0)
    requireNone(
      sentences
        .map(([what, sentence]) => [what, sentence ? sentenceText(sentence) : ''])
        .filter(([, text]) => !/^[A-Za-z*].{6,1000}[^.\n]$/.test(text!))
        .map(
          ([what, text]) =>
            `${id}: the sentence for ${what} is "${text}". Give a whole sentence on one line without a full stop: in words.ts for steps, in events.ts and \`waits\` for triggers.`,
        ),
    )
  })
})

/** An input of a step and what its first request is answered with where it works. */
const firstCase = (
  subject: Subject,
  step: string,
): { file: ExampleFile; exampleCase: ExampleFile['cases'][number] } | undefined => {
  const file = exampleFiles(subject).find(({ name }) => name === step)?.file
  const exampleCase = file?.cases.find((candidate) => candidate.output !== undefined && candidate.exchanges.length > 0)
  return file && exampleCase ? { file, exampleCase } : undefined
}

const claimsNoMatch = (
  { integration }: Subject,
  step: Step,
  wire: Record<string, unknown>,
  status: number,
  body: unknown,
) =>
  (step.endpoints ?? []).some((name) => {
    const laid = (wire.endpoints as Record<string, { noMatch?: never[] }> | undefined)?.[name]?.noMatch
    return (laid ?? integration.wire.endpoints?.[name]?.noMatch ?? []).some((condition) =>
      meets(condition, { status, body }),
    )
  })

/** `asksEndpoint`: a 404 of an endpoint that says nothing of a record may be a wrong address. */
const codesFor = (
  effect: string,
  asksEndpoint: boolean,
): { name: string; status: number; body: string; codes: string[] }[] => {
  const creates = effect !== 'read' && effect !== 'update' && effect !== 'delete'
  return [
    { name: '401', status: 401, body: 'invalid token', codes: ['not_connected'] },
    { name: '402', status: 402, body: '{"message":"no credits"}', codes: ['credits_exhausted'] },
    { name: '403', status: 403, body: '{"message":"forbidden"}', codes: ['access_denied'] },
    { name: '404', status: 404, body: '{"message":"gone"}', codes: asksEndpoint ? ['bad_reply'] : ['not_found'] },
    { name: '429', status: 429, body: '{"message":"slow down"}', codes: ['rate_limited'] },
    {
      name: '500',
      status: 500,
      body: '{"message":"oops"}',
      codes: creates ? ['outcome_unknown'] : ['provider_failed', 'outcome_unknown'],
    },
    { name: 'non-JSON', status: 200, body: '<html>login</html>', codes: ['bad_reply'] },
  ]
}

/** What the step does in its first example, and whether it reads before it writes. */
const workOf = (step: Step, example: ReturnType<typeof firstCase>) => {
  if (example === undefined) return { effect: 'read', preparesWithRead: false }
  const { input, exchanges } = example.exampleCase
  const preparesWithRead = exchanges[0]!.request.method === 'GET'
  if (typeof step.effect === 'function') return { effect: step.effect(input), preparesWithRead }
  return { effect: step.cost ? 'create' : step.effect, preparesWithRead }
}

const sameAsFirst = (seen: { method: string; url: string; body: string }[]) =>
  seen.filter(({ method, url, body }) => method === seen[0]!.method && url === seen[0]!.url && body === seen[0]!.body)

/**
 * Timeouts small enough to wait for, and long enough for a request to arrive on a busy machine; the rest of the profile
 * stays.
 */
const quick = { timeouts: { connectMs: 2_000, headersMs: 400, bodyMs: 400, totalMs: 900, deadlineMs: 1_800 } }

describe.each(subjects.map((subject) => [subject.integration.id, subject] as const))('%s', (_, subject) => {
  const { integration } = subject
  const files = exampleFiles(subject)
  const triggerFiles = triggerExampleFiles(subject)
  const steps = integration.steps.map((step) => [step.id, step] as const)

  it('holds no secret-looking text and no real address in its files', () => {
    const text = [...files, ...triggerFiles].map(({ file }) => JSON.stringify(file)).join('\n')
    expect(text).not.toMatch(/ATTA[0-9A-Za-z]{20}|Bearer [A-Za-z0-9]{16}|sk_live|AKIA[0-9A-Z]{12}/)
  })

  describe.each(
    files
      .filter(
        ({ file }) =>
          integration.steps.some((step) => step.id === file.step) ||
          file.step === 'api-call' ||
          file.step === 'find-endpoints',
      )
      .map(({ name, file }) => [name, file] as const),
  )('example %s', (__, file) => {
    it.each(file.cases.map((exampleCase) => [exampleCase.title, exampleCase] as const))(
      '%s',
      async (___, exampleCase) => {
        await replay(subject, file, exampleCase)
      },
    )
  })

  describe.runIf(triggerFiles.length > 0).each(triggerFiles.map(({ name, file }) => [name, file] as const))(
    'trigger example %s',
    (__, file) => {
      it.each(file.cases.map((exampleCase) => [exampleCase.title, exampleCase] as const))(
        '%s',
        async (___, exampleCase) => {
          await replayTrigger(subject, file, exampleCase)
        },
      )
    },
  )

  it.runIf(integration.words)('says what happened in each example of a trigger', () => {
    const problems = triggerFiles.flatMap(({ file }) =>
      file.cases.flatMap((exampleCase) => triggerSentenceProblems(subject, file.trigger, exampleCase)),
    )
    requireNone(problems)
  })

  it.runIf(integration.words?.describeRun)('says what was done in each example of a step', () => {
    const problems = files.flatMap(({ file }) =>
      file.cases.flatMap((exampleCase) => stepSentenceProblems(subject, file.step, exampleCase)),
    )
    requireNone(problems)
  })

  describe('API Call', () => {
    const policy = integration.apiCall
    const under = policy.under === '/' ? '' : policy.under
    const file = files.find(({ name }) => name === 'api-call')?.file
    /** A path that a request of this method may have. */
    const allowed = (method: string): string => {
      const rule = policy.allow?.find(({ methods = policy.methods }) =>
        methods.some((allowedMethod) => allowedMethod === method),
      )
      return rule ? rule.path.replaceAll('/**', '/1').replaceAll('*', 'things') : `${under}/things/1`
    }

    it.each(policy.methods)('%s works and gives status, headers and body', async (method) => {
      const wire = wireFor(subject, file)
      const base = new URL((wire.baseUrl as string) ?? integration.wire.baseUrl!)
      const sent = intercept(base.origin, () => ({
        status: 200,
        body: { done: method },
      }))
      const { pack } = await connectedPack(subject, wire)
      sent.length = 0
      const outcome = await pack.steps.run(caller, {
        integration: integration.id,
        step: 'api-call',
        input: {
          method,
          path: allowed(method),
          ...(method === 'GET' ? { query: { a: ['1', '2'], b: true } } : { body: { a: 1 } }),
        },
      })
      expect(outcome).toMatchObject({ ok: true, value: { status: 200, body: { done: method } } })
      expect(sent).toHaveLength(1)
      expect(sent[0]).toMatchObject({ method, path: `${base.pathname.replace(/\/$/, '')}${allowed(method)}` })
      await pack.close()
    })

    it('refuses every other method, every hostile path, denied paths and reserved names, and sends nothing', async () => {
      const wire = wireFor(subject, file)
      const sent = intercept(new URL((wire.baseUrl as string) ?? integration.wire.baseUrl!).origin, () => ({
        status: 200,
        body: {},
      }))
      const { pack, secrets, type } = await connectedPack(subject, wire)
      sent.length = 0
      const run = (input: Record<string, unknown>) =>
        pack.steps.run(caller, { integration: integration.id, step: 'api-call', input })
      const auth = ((wire.auth as Integration['wire']['auth']) ?? {})[type.id] ?? integration.wire.auth[type.id]!
      const tries: Record<string, unknown>[] = [
        ...otherMethods
          .filter((method) => !policy.methods.includes(method as never))
          .map((method) => ({ method, path: `${under}/things` })),
        { method: ['GET'], path: `${under}/things` },
        { method: {}, path: `${under}/things` },
        ...hostilePaths(under).flatMap((path) => policy.methods.map((method) => ({ method, path }))),
        ...policy.deny.flatMap(({ path, methods, query = ['=x'] }) =>
          (methods ?? policy.methods).flatMap((method) =>
            query.map((rule) => {
              const [name = '', value = 'all'] = rule.split('=')
              return {
                method,
                path: path.replaceAll('/**', '/x').replaceAll('*', 'x'),
                ...(name === '' ? {} : { query: { [name]: value } }),
              }
            }),
          ),
        ),
        ...[
          '_method',
          ...integration.wire.reserved,
          ...('fields' in auth ? Object.keys(auth.fields) : ['authorization']),
        ].flatMap((name) => [
          { method: 'GET', path: `${under}/things`, query: { [name]: 'EVIL' } },
          { method: 'POST', path: `${under}/things`, body: { [name]: 'EVIL' } },
          { method: 'POST', path: `${under}/things`, body: [{ [name]: 'EVIL' }] },
        ]),
        { method: 'GET', path: `${under}/things`, headers: { 'x-a': 'b' } },
        { method: 'GET', path: `${under}/things`, query: { nested: { a: 1 } } },
      ]
      for (const input of tries) {
        const outcome = await run(input)
        expect(outcome.ok, `${JSON.stringify(input)} was let through`).toBe(false)
        if (!outcome.ok)
          expect(
            ['not_allowed', 'invalid_input'],
            `${JSON.stringify(input)} gave ${outcome.failure.code}: ${outcome.failure.message}`,
          ).toContain(outcome.failure.code)
        requireNone(leakProblems(`${integration.id}: API Call of ${JSON.stringify(input)}`, outcome, secrets))
      }
      requireNone(
        sent.map(({ method, path }) => `${integration.id}: API Call sent ${method} ${path}. Refuse it in \`apiCall\`.`),
      )
      await pack.close()
    })
  })

  describe.each(steps)('failures of %s', (id, step) => {
    const firstExample = firstCase(subject, id)
    const { effect, preparesWithRead } = workOf(step, firstExample)

    const failures = codesFor(
      preparesWithRead && !step.cost ? 'read' : effect,
      integration.wire.endpoints !== undefined && id !== 'api-call',
    )
    // One pack and provider for all of them, each with a tenant of its own: making them is what takes time.
    let answer = failures[0]!
    const open = async () => {
      const provider = await startProvider((_request, response) => {
        response.writeHead(answer.status, {
          'content-type': answer.body.startsWith('{') ? 'application/json' : 'text/html',
        })
        response.end(answer.body)
      })
      const wire = { ...wireFor(subject, firstExample!.file), baseUrl: provider.origin }
      const tenants = failures.map(({ name }) => name.toLowerCase())
      return { wire, provider, ...(await unprovenPack(subject, wire, provider.origin, tenants)) }
    }
    let live: Awaited<ReturnType<typeof open>> | undefined
    beforeAll(async () => {
      if (firstExample) live = await open()
    })
    afterAll(async () => {
      await live?.pack.close()
      await live?.provider.close()
    })

    it.runIf(firstExample).each(failures)('$name becomes the right failure', async (failure) => {
      const { name, status, body, codes } = failure
      answer = failure
      const tenant = name.toLowerCase()
      const { pack, wire, secretsOf } = live!
      const outcome = await pack.steps.run(
        { tenant },
        { integration: integration.id, step: id, input: firstExample!.exampleCase.input },
      )
      if (outcome.ok && claimsNoMatch(subject, step, wire, status, JSON.parse(body.startsWith('{') ? body : '""')))
        expect(JSON.stringify(outcome.value)).toContain('"matched":false')
      // Whatever a provider gives as a file is one.
      else if (!outcome.ok || status !== 200 || !JSON.stringify(outcome.value).includes('"file":"fil_'))
        expect(outcome.ok ? 'it succeeded' : outcome.failure.code, JSON.stringify(outcome)).toSatisfy((code: string) =>
          codes.includes(code),
        )
      requireNone(leakProblems(`${integration.id}: steps/${id}.ts`, outcome, secretsOf(tenant)))
    })
  })

  // Each waits for its limit, so they wait side by side.
  describe('no answer in time', () => {
    it.concurrent.each(steps.filter(([id]) => firstCase(subject, id)))(
      'becomes the right failure of %s',
      async (id, step) => {
        const example = firstCase(subject, id)!
        const { effect, preparesWithRead } = workOf(step, example)
        const provider = await startProvider(() => {})
        const live = await unprovenPack(
          subject,
          { ...wireFor(subject, example.file), ...quick, baseUrl: provider.origin },
          provider.origin,
        )
        const outcome = await live.pack.steps.run(caller, {
          integration: integration.id,
          step: id,
          input: example.exampleCase.input,
        })
        expect(outcome.ok ? 'it succeeded' : outcome.failure.code).toSatisfy((code: string) =>
          ['unreachable', 'outcome_unknown'].includes(code),
        )
        // Verifying what it may have made only reads. On a busy machine the limit may end it before it arrives at all.
        if (effect === 'create' && !preparesWithRead) expect(sameAsFirst(provider.seen).length).toBeLessThan(2)
        await live.pack.close()
        await provider.close()
      },
    )
  })
})

describe('the contract itself', () => {
  it('names the file and the remedy when a folder is wrong', () => {
    const broken = { ...fourth, id: 'other', steps: [{ ...fourth.steps[0]!, id: 'renamed' }] }
    const problems = structureProblems({ integration: broken, folder: join(root, 'test', 'fixtures', 'fourth') }).join(
      '\n',
    )
    for (const part of [
      'make them equal',
      'steps/renamed.ts',
      'kebab-case',
      'import it in manifest.ts',
      'examples/renamed.json does not exist',
    ])
      expect(problems).toContain(part)
  })

  it('names the file and the remedy when a trigger is wrong', () => {
    const { integration, folder } = workBoard
    const [first, ...otherTriggers] = integration.triggers!
    const { webhook: _, poll: __, ...bare } = first!
    const other: Trigger = {
      ...bare,
      title: 'Something Else',
      purpose: 'starts',
      recoverable: 'some',
      webhookOnly: ['noSuchType'],
      config: z.strictObject({ a: z.union([z.string(), z.number()]) }),
      data: z.object({ b: z.string() }),
      fields: { c: { dependsOn: ['d'] } },
      deprecated: { since: '0.0.1', use: 'nowhere' },
    }
    delete other.caveat
    const problems = structureProblems({
      integration: { ...integration, triggers: [other, ...otherTriggers.slice(1)] },
      folder,
    }).join('\n')
    for (const part of [
      `triggers/${otherTriggers[0]!.id}.ts is not in the manifest`,
      'kebab-case',
      'one sentence for the builder',
      'webhook, poll or both',
      'some of its events cannot be recovered',
      'noSuchType',
      'fields.c is not in the config',
      'dependsOn names "d"',
      'its config /a has several types',
      'data.b has no description',
      `triggers/${first!.id}.ts: "use" names "nowhere", which is not there`,
      `examples/${otherTriggers[0]!.id}.json belongs to no trigger`,
    ])
      expect(problems).toContain(part)
    expect(
      structureProblems({ integration: { ...integration, triggers: [{ ...first!, id: 'renamed' }] }, folder }).join(
        '\n',
      ),
    ).toContain('triggers/renamed.ts does not exist')
  })

  it('wants own events to be recognised: by a correlation header, or by actor and objects of each event', () => {
    const { integration, folder } = workBoard
    const { writeMark: _, ...wire } = integration.wire
    const webhooks = integration.webhooks!
    const about = (changes: Partial<Integration>) =>
      structureProblems({ folder, integration: { ...integration, wire, ...changes } }).filter((problem) =>
        problem.includes('own events'),
      )
    const decodedWith = (facts: Partial<Event>): Integration['webhooks'] => ({
      ...webhooks,
      decode: (...decodeArguments) => {
        const decoded = webhooks.decode(...decodeArguments)
        return { ...decoded, events: decoded.events.map((event) => ({ ...event, ...facts })) }
      },
    })
    const actor = { id: 'a' }
    const objects = [{ kind: 'issue', id: '7' }]
    const polled = integration.triggers!.flatMap(({ id, webhook }) => (webhook ? [] : [`examples/${id}.json`]))
    const byWebhook = (problems: string[]) =>
      problems.filter((problem) => !polled.some((file) => problem.includes(`: ${file}`)))
    expect(byWebhook(about({ webhooks: decodedWith({ actor, objects })! }))).toEqual([])
    expect(about({ webhooks: decodedWith({ actor: undefined, objects })! }).join('\n')).toContain(
      'Give actor when decoding',
    )
    expect(about({ webhooks: decodedWith({ actor, objects: [] })! }).join('\n')).toContain('Give objects when decoding')
    const nameless = integration.connections.map(({ identify: __, ...type }) => type)
    expect(about({ connections: nameless, webhooks: decodedWith({ actor, objects })! }).join('\n')).toContain(
      '`test` and `identify`',
    )
    expect(structureProblems({ folder, integration: { ...integration, connections: nameless } })).toEqual([])
  })

  it('keeps the throw-away integration out of the shipped list', () => {
    expect(readFileSync(join(root, 'integrations', 'index.ts'), 'utf8')).not.toContain('fixtures')
  })
})
