import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow'

export class ToolyardApi implements ICredentialType {
  name = 'toolyardApi'

  displayName = 'Toolyard API'

  icon = { light: 'file:../icons/toolyard.svg', dark: 'file:../icons/toolyard.dark.svg' } as const

  documentationUrl = 'https://github.com/toolyard/toolyard/blob/main/docs/platforms.md#in-n8n'

  properties: INodeProperties[] = [
    {
      displayName: 'Server URL',
      name: 'url',
      type: 'string',
      required: true,
      default: '',
      placeholder: 'https://toolyard.example.com',
      description: 'Address of your toolyard server, without a path',
    },
    {
      displayName: 'Token',
      name: 'token',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
      description: 'Made with "toolyard tokens add"; it needs the scopes run, read and subscriptions',
    },
  ]

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.token}}' } },
  }

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.url.trim()}}', url: '/v1/integrations' },
    rules: [
      {
        type: 'responseSuccessBody',
        properties: {
          key: 'items',
          value: undefined,
          message: 'There is no toolyard server at this address. Give the address without a path.',
        },
      },
    ],
  }
}
