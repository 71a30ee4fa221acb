import { expect, it } from 'vitest'
import { childEnvironment } from '../../../host/tasks/child-environment.ts'

it('secrets-stay: keys and addresses of providers and the host’s own settings do not reach a command', () => {
  const environment = {
    PATH: '/usr/bin',
    HOME: '/home/ada',
    LANG: undefined,
    OPENAI_API_KEY: 'k1',
    OPENAI_BASE_URL: 'https://user:pass@models.example/v1',
    openai_api_key: 'k2',
    ANTHROPIC_API_KEY: 'k3',
    ANTHROPIC_BASE_URL: 'https://a.example',
    DEEPSEEK_API_KEY: 'k4',
    TASK_SURFACE_TOKEN: 't',
    TASK_SURFACE_TASK: 'somebody:else',
    GITHUB_TOKEN: 'for git',
  }
  expect(childEnvironment(environment)).toEqual({ PATH: '/usr/bin', HOME: '/home/ada', GITHUB_TOKEN: 'for git' })
})
