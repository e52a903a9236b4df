/** The alert rules and the dashboard of docs/examples ask only for metrics, labels and values that there are. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Hook } from '../../shared/api/resources/hook.ts'
import type { SubscriptionState } from '../../shared/api/resources/subscription.ts'
import type { ConnectionState } from '../../shared/runtime/ports/index.ts'
import { createHttp } from '../../shared/faces/http/index.ts'
import { openHttpWorld } from '../support/http-world.ts'

const read = (name: string) => readFileSync(new URL(`../../docs/examples/${name}`, import.meta.url), 'utf8')
const rules = [...read('prometheus-alerts.yaml').matchAll(/^ +expr: (.+)$/gm)].map(([, expression]) => expression!)
const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
  panels: { id: number; title: string; targets: { expr: string }[] }[]
}
const panels = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

const each = (states: readonly string[]) => Object.fromEntries(states.map((state) => [state, 1]))
const connections: ConnectionState[] = ['connected', 'unverified', 'needs_reconnect', 'revoked', 'disabled']
const hooks: Hook['state'][] = ['wanted', 'active', 'failing', 'broken', 'deleting']
const subscriptions: SubscriptionState[] = ['pending', 'active', 'failing', 'paused', 'paused_auth', 'paused_agent']

/** Every series that a server can have: those of all states, of an embedded store and of PostgreSQL. */
const readSamples = async () => {
  const face = await openHttpWorld()
  const { counts } = face.pack.triggers
  face.pack.triggers.counts = async () => {
    const now = await counts()
    return {
      ...now,
      store: { ...now.store, freeBytes: 1, pool: { busy: 1, idle: 1, waiting: 1 } },
      tally: {
        connections: each(connections),
        hooks: each(hooks),
        subscriptions: each(subscriptions),
        budgets: each(['open', 'near', 'spent']),
      },
    }
  }
  const http = await createHttp({ pack: face.pack, version: '0.0.0', ofProcess: true })
  const headers = { authorization: `Bearer ${face.token}`, 'content-type': 'application/json' }
  const url = '/v1/steps/work-board/get-boards/run'
  await http.inject({ method: 'POST', url, headers, payload: '{"input":{}}' })
  const { payload } = await http.inject({ url: '/metrics', headers })
  await http.close()
  await face.close()
  const samples = payload
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line)!
      return { name: name!, labels: new Map([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, l, v]) => [l!, v!])) }
    })
  const names = new Set([...payload.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!))
  return { samples, names }
}

/** Labels that Prometheus adds, and values that appear only once something happened. */
const added = ['instance', 'job']
const later = ['code', 'status']

it('ask only for what there is', async () => {
  expect([rules.length, panels.length]).toEqual([18, expect.any(Number)])
  expect(panels.length).toBeGreaterThan(dashboard.panels.length)
  const { samples, names } = await readSamples()
  const unknown: string[] = []
  for (const expression of [...rules, ...panels]) {
    const asked = [...expression.matchAll(/\b((?:toolyard|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)]
    for (const [, name, selector = ''] of asked) {
      const ofName = samples.filter((sample) => sample.name === name)
      if (!names.has(name!) && ofName.length === 0) unknown.push(name!)
      for (const [, label, value] of selector.matchAll(/(\w+)=~?"([^"]*)"/g)) {
        if (added.includes(label!) || later.includes(label!)) continue
        for (const alternative of value!.split('|'))
          if (!ofName.some(({ labels }) => labels.get(label!) === alternative))
            unknown.push(`${name}{${label}="${alternative}"}`)
      }
    }
    for (const [, labels] of expression.matchAll(/\bby \(([^)]*)\)/g))
      for (const label of labels!.split(', '))
        if (!samples.some(({ name, labels: has }) => has.has(label) && asked.some(([, one]) => one === name)))
          if (!added.includes(label) && asked.length > 0) unknown.push(`by (${label}) in ${expression}`)
  }
  // Nothing was paid for yet, so there is no series with the label.
  expect(unknown.filter((text) => !text.includes('toolyard_credits_total'))).toEqual([])
})

it('cover every metric of ours but those that other ones stand for', async () => {
  const { names } = await readSamples()
  const asked = [...rules, ...panels].join('\n')
  expect(
    [...names].filter((name) => name.startsWith('toolyard_') && !new RegExp(`\\b${name}(_bucket)?\\b`).test(asked)),
  ).toEqual(['toolyard_subscriptions', 'toolyard_nodes'])
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
})
