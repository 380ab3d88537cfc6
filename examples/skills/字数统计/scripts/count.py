#!/usr/bin/env python3
"""统计文字: count.py --text TEXT"""
import argparse
import re
import unicodedata


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", required=True)
    text = parser.parse_args().text
    han = len(re.findall(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002ebef]", text))
    words = len(re.findall(r"[A-Za-z]+(?:['’-][A-Za-z]+)*", text))
    numbers = len(re.findall(r"\d+(?:\.\d+)?", text))
    marks = sum(unicodedata.category(c).startswith("P") for c in text)
    paragraphs = len([p for p in text.split("\n") if p.strip()])
    print(f"汉字 {han}，英文单词 {words}，数字 {numbers}，标点 {marks}，段落 {paragraphs}")
    print(f"默读约 {han / 400 + words / 200:.1f} 分钟，朗读约 {han / 220 + words / 130:.1f} 分钟")


main()
