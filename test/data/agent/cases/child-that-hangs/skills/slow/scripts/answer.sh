#!/bin/sh
echo here
