import { defineConfig } from 'astro/config';
import { agentKnowledgeGateway } from './src/build/integration.ts';

export default defineConfig({ integrations: [agentKnowledgeGateway()] });
