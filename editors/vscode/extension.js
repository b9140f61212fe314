// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the language server. Without the package vscode-languageclient, which
// `npm install` in this folder fetches, specs are only highlighted.

const vscode = require('vscode');

let client;

exports.activate = async function () {
  let node;
  try {
    node = require('vscode-languageclient/node');
  } catch {
    vscode.window.showWarningMessage(
        'transfold: run `npm install` in the folder of this extension, so that it can start transfold-lsp.');
    return;
  }
  const command = vscode.workspace.getConfiguration('transfold').get('server');
  client = new node.LanguageClient(
      'transfold', 'transfold', {command, args: []},
      {documentSelector: [{scheme: 'file', language: 'xf'}]});
  await client.start();
};

exports.deactivate = () => client?.stop();
