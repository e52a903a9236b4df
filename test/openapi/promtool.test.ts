import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import { openHttpWorld } from '../support/http-world.ts'

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
if (!hasPromtool && process.env.TOOLYARD_OPENAPI === 'required')
  throw new Error('promtool is not installed; on Debian it is in the package prometheus')
if (!hasPromtool)
  console.log(
    'openapi: the page of metrics is not checked, since promtool is not installed. On Debian it is in the package prometheus.',
  )

it.runIf(hasPromtool)(
  "the page of metrics, those of the process included, passes Prometheus's own check without a word",
  async () => {
    const face = await openHttpWorld()
    await face.ask('/v1/steps/work-board/get-boards/run', { body: { input: {} } })
    const http = await createHttp({ pack: face.pack, version: '0.0.0', ofProcess: true })
    const page = await http.inject({ url: '/metrics', headers: { authorization: `Bearer ${face.token}` } })
    expect(page.payload).toContain('process_cpu_seconds_total')
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: page.payload,
      encoding: 'utf8',
    })
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' })
    await http.close()
    await face.close()
  },
)

const rules = fileURLToPath(new URL('../../docs/examples/prometheus-alerts.yaml', import.meta.url))
const promtool = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
  return { status, said: stdout + stderr }
}

it.runIf(hasPromtool)('the alert rules pass its check, and ring where they should and nowhere else', () => {
  expect(promtool('check', 'rules', rules)).toMatchObject({ status: 0, said: expect.stringContaining('18 rules') })
  const of = (server: string, labels = '') => `{job="toolyard",instance="${server}"${labels}}`
  const rung: [name: string, minute: number, series: [name: string, values: string][]][] = [
    ['ToolyardDown', 5, [[`up${of('a')}`, '0x10']]],
    ['ToolyardStoreFails', 10, [[`toolyard_store_commits_total${of('a', ',result="failed"')}`, '0+3x20']]],
    [
      'ToolyardStoreSlow',
      20,
      [
        [`toolyard_store_commit_seconds_total${of('a')}`, '0+30x30'],
        [`toolyard_store_commits_total${of('a', ',result="ok"')}`, '0+60x30'],
      ],
    ],
    ['ToolyardDiskFills', 10, [[`toolyard_store_free_bytes${of('a', ',place="data"')}`, '5e8x20']]],
    ['ToolyardStartsLate', 10, [[`toolyard_start_lateness_seconds${of('a')}`, '400x20']]],
    ['ToolyardHooksFail', 20, [[`toolyard_hooks${of('a', ',state="failing"')}`, '2x30']]],
    ['ToolyardReconnect', 20, [[`toolyard_connections${of('a', ',state="revoked"')}`, '1x30']]],
  ]
  const quiet: [string, string][] = [
    [`up${of('a')}`, '1x30'],
    [`toolyard_store_commits_total${of('a', ',result="failed"')}`, '7x30'],
    [`toolyard_store_commit_seconds_total${of('a')}`, '0+1x30'],
    [`toolyard_store_commits_total${of('a', ',result="ok"')}`, '0+60x30'],
    [`toolyard_store_free_bytes${of('a', ',place="data"')}`, '5e9x30'],
    [`toolyard_start_lateness_seconds${of('a')}`, '3x30'],
    [`toolyard_hooks${of('a', ',state="active"')}`, '9x30'],
    [`toolyard_connections${of('a', ',state="disabled"')}`, '1x30'],
  ]
  const input = (series: [string, string][]) => series.map(([name, values]) => ({ series: name, values }))
  const named = (alertname: string, minute: number, count: number) => ({
    expr: `count(ALERTS{alertname="${alertname}",alertstate="firing"}) or vector(0)`,
    eval_time: `${minute}m`,
    exp_samples: [{ labels: '{}', value: count }],
  })
  const tests = [
    ...rung.map(([name, minute, series]) => ({
      interval: '1m',
      input_series: input(series),
      promql_expr_test: [named(name, minute, 1)],
    })),
    {
      interval: '1m',
      input_series: input(quiet),
      promql_expr_test: rung.map(([name]) => named(name, 25, 0)),
    },
  ]
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-rules-'))
  try {
    const file = join(folder, 'tests.json')
    writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests }))
    expect(promtool('test', 'rules', file)).toMatchObject({ status: 0 })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
