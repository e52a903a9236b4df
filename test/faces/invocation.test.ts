import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { cancelOnSignal, invocationOf, untilStopped } from '../../shared/faces/cli/index.ts'

describe('a hint is a command that works where the person stands', () => {
  const cases: [what: string, given: Partial<Parameters<typeof invocationOf>[0]>, typed: string][] = [
    [
      'by npx',
      {
        script: '/home/a/.npm/_npx/7/node_modules/.bin/toolyard',
        env: { npm_command: 'exec', npm_lifecycle_event: 'npx' },
      },
      'npx toolyard',
    ],
    [
      'npm start in the checkout',
      { env: { npm_command: 'start', npm_package_name: 'toolyard' } },
      'npm run toolyard --',
    ],
    [
      'npm run in the checkout',
      { env: { npm_command: 'run-script', npm_package_name: 'toolyard' } },
      'npm run toolyard --',
    ],
    [
      'a script of the platform that installed it',
      { script: '/srv/platform/node_modules/.bin/toolyard', env: { npm_command: 'run', npm_package_name: 'platform' } },
      'npx toolyard',
    ],
    [
      'its bin, where it is a dependency',
      { script: '/srv/platform/node_modules/.bin/toolyard', cwd: '/srv/platform/tools' },
      'npx toolyard',
    ],
    [
      'its file, where it is a dependency',
      { script: '/srv/platform/node_modules/toolyard/shared/toolyard.js', cwd: '/srv/platform' },
      'npx toolyard',
    ],
    [
      'a dependency of another folder',
      { script: '/srv/platform/node_modules/toolyard/shared/toolyard.js', cwd: '/tmp' },
      'node /srv/platform/node_modules/toolyard/shared/toolyard.js',
    ],
    ['installed globally', { script: '/usr/local/bin/toolyard', cwd: '/tmp' }, 'toolyard'],
    ['node in the checkout', {}, 'node shared/toolyard.js'],
    ['node from elsewhere', { cwd: '/tmp' }, 'node /srv/toolyard/shared/toolyard.js'],
    [
      'the Node that npm ci installed',
      { execPath: '/srv/toolyard/node_modules/node/bin/node' },
      'node_modules/node/bin/node shared/toolyard.js',
    ],
    [
      'a folder with a space',
      { script: '/srv/my tools/shared/toolyard.js', cwd: '/tmp' },
      "node '/srv/my tools/shared/toolyard.js'",
    ],
  ]
  it.each(cases)('%s', (_what, overrides, typed) => {
    const started = {
      script: '/srv/toolyard/shared/toolyard.js',
      execPath: '/usr/bin/node',
      cwd: '/srv/toolyard',
      env: {},
      ...overrides,
    }
    expect(invocationOf(started)).toBe(typed)
  })
})

describe('signals', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s stops a server and cancels a command', async (signal) => {
    const process = new EventEmitter()
    const stopped = untilStopped(process)
    const cancelled = cancelOnSignal(
      process,
      () => 0,
      () => expect.unreachable(),
    )
    process.emit(signal)
    expect([await stopped, cancelled.aborted]).toEqual([signal, true])
  })

  it('a second Ctrl-C at once is the one npm passes on; a later one quits', () => {
    const process = new EventEmitter()
    let [at, quits] = [0, 0]
    cancelOnSignal(
      process,
      () => at,
      () => void (quits += 1),
    )
    process.emit('SIGINT')
    at = 20
    process.emit('SIGINT')
    expect(quits).toBe(0)
    at = 3_000
    process.emit('SIGINT')
    expect(quits).toBe(1)
  })
})
