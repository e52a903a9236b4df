import { spawnSync } from 'node:child_process'
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
