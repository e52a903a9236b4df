/** Commands for a platform that embeds the pack. */
import { describe, expect, it } from 'vitest'
import { failures } from '../../shared/kit/index.ts'
import { findIds } from '../sandbox/board-client.ts'
import { linesOver } from '../support/command-line.ts'
import type { Place } from '../support/command-line.ts'
import { openHttpWorld } from '../support/http-world.ts'

const face = await openHttpWorld({ returnOrigins: ['https://platform.example'] })

const { command } = linesOver(face)

describe.each<Place>(['embedded', 'remote'])('%s', (place) => {
  it('sets, shows, rotates and removes where notifications go; the secret is shown once', async () => {
    const set = await command(
      ['notifications', 'set', 'https://platform.example/toolyard', '--type', 'start.dead', '--type', 'gap.found'],
      place,
    )
    expect(set.out).toMatch(
      /^Notifications of default go to https:\/\/platform\.example\/toolyard: start\.dead, gap\.found\.\nIts secret, shown only once: whsec_\S+\n$/,
    )
    const shown = await command(['notifications'], place)
    expect(shown.out).toBe('Notifications of default go to https://platform.example/toolyard: start.dead, gap.found.\n')
    const rotated = await command(['notifications', 'rotate-secret', '--overlap', '2h', '--json'], place)
    const { secret, previousSecretUntil } = JSON.parse(rotated.out) as { secret: string; previousSecretUntil: string }
    expect(secret).toMatch(/^whsec_/)
    expect(Math.abs(Date.parse(previousSecretUntil) - Date.now() - 2 * 3_600_000)).toBeLessThan(60_000)
    expect((await command(['starts', '-s', 'notifications', '--json'], place)).out).toBe('{"items":[]}\n')
    expect((await command(['starts', 'replay', '-s', 'notifications'], place)).out).toBe('Starts sent again: 0.\n')
    expect((await command(['notifications', 'remove'], place)).out).toBe(
      'Notifications of default are no longer sent.\n',
    )
    expect((await command(['notifications'], place)).code).toBe(failures.not_found.exit)
  })

  it('rotates the secret of a subscription: only the secret goes to standard output', async () => {
    const { pack } = face
    pack.servedAt('http://127.0.0.1:9')
    const made = await pack.subscriptions.create(
      { tenant: 'default' },
      {
        integration: 'work-board',
        trigger: 'card-due-date-reminder',
        config: { boards: [findIds(face.sandbox.board).board] },
        agent: { url: 'https://agents.example/start' },
        externalId: `flow-${place}`,
        labels: { team: place },
      },
    )
    const { out, err, code } = await command(['subscriptions', 'rotate-secret', made.id.slice(0, -2)], place)
    expect([code, out]).toEqual([0, expect.stringMatching(/^whsec_\S+\n$/)])
    expect(err).toContain('Starts are signed with the previous one too until')
    expect((await command(['subscriptions', 'rotate-secret', made.id, '--overlap', '0s'], place)).err).toContain(
      'The previous one is no longer used.',
    )
    expect((await command(['subscriptions', 'rotate-secret', made.id, '--overlap', 'long'], place)).err).toContain(
      '--overlap takes a duration like 30m, 12h or 7d',
    )
    for (const [filter, count] of [
      [['--external-id', `flow-${place}`], 1],
      [['-l', `team:${place}`], 1],
      [['-l', 'team:none'], 0],
      [['-l', `team:${place}`, '-l', 'other:x'], 0],
    ] as const)
      expect(
        (JSON.parse((await command(['subscriptions', ...filter, '--json'], place)).out) as { items: object[] }).items,
      ).toHaveLength(count)
    for (const list of ['starts', 'events', 'gaps', 'runs'])
      expect((await command([list, '--external-id', 'nobody', '-l', 'team:none', '--json'], place)).out).toBe(
        '{"items":[]}\n',
      )
    expect((await command(['starts', '-l', 'team'], place)).code).toBe(failures.invalid_input.exit)
    await pack.subscriptions.remove({ tenant: 'default' }, made.id)
  })
})

it('makes a connect link for one person of the platform', async () => {
  const link = ['connect', 'work-board', '--type', 'key-token', '--external-id', 'person-3', '--no-wait', '--json']
  const { out } = await command(
    [...link, '--return-to', 'https://platform.example/settings', '--expires', '2d'],
    'remote',
  )
  const { expiresAt } = JSON.parse(out) as { expiresAt: string }
  expect(Math.abs(Date.parse(expiresAt) - Date.now() - 2 * 86_400_000)).toBeLessThan(60_000)
  const refused = await command([...link, '--return-to', 'https://other.example/'], 'remote')
  expect([refused.code, refused.err]).toEqual([failures.invalid_input.exit, expect.stringContaining('returnTo')])
  expect((await command([...link, '--expires', '8d'], 'remote')).code).toBe(failures.invalid_input.exit)
})
