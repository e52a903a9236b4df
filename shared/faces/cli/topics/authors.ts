import { resolve } from 'node:path'
import { command, text } from '../declare.ts'
import { recordCommand } from './record.ts'

/** Commands for people who write an integration. */
export const authorCommands = [
  command(
    {
      usage: 'dev <folder>',
      about:
        'serve the integration of one folder for its author: reloads it on change, allows providers and agents on this machine',
      arguments: { folder: 'the folder with manifest.ts; TypeScript runs as it is' },
      options: {
        wire: text('<file>', 'JSON file with wire overrides, read again on change; default: TOOLYARD_WIRE'),
        data: text('<folder>', 'keep the data there; default: a temporary folder, removed at the end'),
      },
      textOnly: true,
      help: ({ typed }) =>
        `\nExample:\n  ${typed('dev integrations/<id> --wire overrides.json')}\nA new integration: npm run new -- <id>`,
    },
    ({ configuration, parts: { cwd, dev } }, { folder, wire, data }) =>
      dev(configuration(), { folder, data, wireFile: wire === undefined ? undefined : resolve(cwd, wire), cwd }),
  ),
  recordCommand,
]
